import type { BaseUnitName } from "./base-units.ts";

interface Factor {
  readonly shift?: number;
  readonly times?: number;
  readonly over?: number;
  /** Replaces `times` if bytes are counted in powers of 1024. */
  readonly binary?: number;
}

/** Value in the base unit: `(value + shift) * times / over`. */
export interface DisplayUnit extends Factor {
  readonly base: BaseUnitName;
  /** Case-sensitive: `mW` is not `MW`. */
  readonly symbols: readonly string[];
  /** Case-insensitive. */
  readonly words: readonly string[];
}

const KIBI = 1024;
const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * Names of units in the languages of the PRTG user interface, except ambiguous words. Rates also have the form
 * `<unit>/<s, min, h or d>`.
 */
const NAMES: { readonly [Base in BaseUnitName]?: readonly (readonly [symbols: string, words: string, Factor?])[] } = {
  seconds: [
    ["ns", "nsec, nanosecond, nanoseconds, Nanosekunden", { over: 1e9 }],
    // The micro sign and the Greek letter.
    ["\u00b5s, \u03bcs, us", "\u00b5sec, \u03bcsec, usec, microsecond, microseconds, Mikrosekunde", { over: 1e6 }],
    ["", "Mikrosekunden", { over: 1e6 }],
    ["ms", "msec, msecs, msec., millisec, millisecond, milliseconds, msek, msek., Millisekunde", { over: 1e3 }],
    ["", "Millisekunden, milliseconde, millisecondes, milliseconden, milisegundo, milisegundos", { over: 1e3 }],
    ["", "millisegundo, millisegundos, millisecondo, millisecondi, мс, ミリ秒, 毫秒", { over: 1e3 }],
    ["s", "sec, secs, sec., second, seconds, sek, sek., Sekunde, Sekunden, seconde, secondes, seconden, segundo"],
    ["", "segundos, seg, seg., secondo, secondi, сек, сек., 秒"],
    ["", "min, mins, min., minute, minutes, Minuten, minuto, minutos, minuti, мин, мин., 分", { times: MINUTE }],
    ["h", "hr, hrs, hour, hours, std, std., Stunde, Stunden, heure, heures, hora, horas, ora, ore", { times: HOUR }],
    ["", "uur, uren, час, ч, ч., 時間, 小时", { times: HOUR }],
    ["d", "day, days, Tag, Tage, jour, jours, día, días, dia, dias, giorno, giorni, dag, dagen, дн", { times: DAY }],
    ["", "дн., 日, 天", { times: DAY }],
    ["", "wk, week, weeks, Woche, Wochen, semaine, semaines, semana, semanas, settimane, weken", { times: 7 * DAY }],
  ],
  bytes: [
    ["B", "byte, bytes, octet, octets, байт, バイト, 字节"],
    ["kB, KB, ko, Ko", "kbyte, kbytes, kilobyte, kilobytes, kilooctets, кбайт", { times: 1e3, binary: KIBI }],
    ["MB, Mo", "mbyte, mbytes, megabyte, megabytes, mégaoctets, мбайт", { times: 1e6, binary: KIBI ** 2 }],
    ["GB, Go", "gbyte, gbytes, gigabyte, gigabytes, gigaoctets, гбайт", { times: 1e9, binary: KIBI ** 3 }],
    ["TB, To", "tbyte, tbytes, terabyte, terabytes, téraoctets, тбайт", { times: 1e12, binary: KIBI ** 4 }],
    ["PB, Po", "pbyte, pbytes, petabyte, petabytes", { times: 1e15, binary: KIBI ** 5 }],
    ["KiB, kiB, Kio, kio", "kibyte, kibibyte, kibibytes", { times: KIBI }],
    ["MiB, Mio", "mibyte, mebibyte, mebibytes", { times: KIBI ** 2 }],
    ["GiB, Gio", "gibyte, gibibyte, gibibytes", { times: KIBI ** 3 }],
    ["TiB, Tio", "tibyte, tebibyte, tebibytes", { times: KIBI ** 4 }],
    ["PiB, Pio", "pibyte, pebibyte, pebibytes", { times: KIBI ** 5 }],
    // Bits count in 1000s: the product shows an idle link's 85.33 bit/s as 0.00008533 Mbit/s.
    ["", "bit, bits, бит", { over: 8 }],
    ["kb, Kb", "kbit, kbits, kilobit, kilobits, кбит", { times: 1e3, over: 8 }],
    ["Mb", "mbit, mbits, megabit, megabits, мбит", { times: 1e6, over: 8 }],
    ["Gb", "gbit, gbits, gigabit, gigabits, гбит", { times: 1e9, over: 8 }],
    ["Tb", "tbit, tbits, terabit, terabits", { times: 1e12, over: 8 }],
  ],
  bytes_per_second: [
    ["Bps", ""],
    ["kBps, KBps", "", { times: 1e3, binary: KIBI }],
    ["MBps", "", { times: 1e6, binary: KIBI ** 2 }],
    ["GBps", "", { times: 1e9, binary: KIBI ** 3 }],
    ["bps", "", { over: 8 }],
    ["kbps, Kbps", "", { times: 1e3, over: 8 }],
    ["Mbps, mbps", "", { times: 1e6, over: 8 }],
    ["Gbps, gbps", "", { times: 1e9, over: 8 }],
  ],
  per_second: [["", "iops"]],
  rpm: [["", "rpm, r/min, rev/min, revs/min, u/min, upm, tr/min, giri/min"]],
  meters_per_second: [["", "kmh, kph", { times: 1e3, over: HOUR }]],
  ratio: [
    ["%", "percent, per cent, pct, Prozent, pour cent, por ciento, por cento, per cento, procent", { over: 100 }],
    ["‰", "per mille, Promille", { over: 1e3 }],
    ["", "ppm", { over: 1e6 }],
  ],
  count: [["#", "count, counts, Anzahl, pcs, pcs., Stück, Stk, Stk., page, pages, Seiten"]],
  volts: [
    ["\u00b5V, \u03bcV, uV", "", { over: 1e6 }],
    ["mV", "millivolt, millivolts", { over: 1e3 }],
    ["V", "volt, volts, voltios"],
    ["kV, KV", "kilovolt, kilovolts", { times: 1e3 }],
  ],
  amperes: [
    ["\u00b5A, \u03bcA, uA", "", { over: 1e6 }],
    ["mA", "milliampere, milliamperes, milliamp, milliamps", { over: 1e3 }],
    ["A", "ampere, amperes, amp, amps, ampère, ampères, amperios"],
    ["kA", "", { times: 1e3 }],
  ],
  watts: [
    ["mW", "milliwatt, milliwatts", { over: 1e3 }],
    ["W", "watt, watts, vatios"],
    ["kW, KW", "kilowatt, kilowatts", { times: 1e3 }],
    ["MW", "megawatt, megawatts", { times: 1e6 }],
    ["GW", "gigawatt, gigawatts", { times: 1e9 }],
  ],
  voltamperes: [
    ["VA", "volt-ampere, volt-amperes"],
    ["kVA, KVA", "", { times: 1e3 }],
    ["MVA", "", { times: 1e6 }],
  ],
  joules: [
    ["J", "joule, joules"],
    ["kJ, KJ", "kilojoule, kilojoules", { times: 1e3 }],
    ["MJ", "megajoule, megajoules", { times: 1e6 }],
    ["mWh", "", { times: HOUR, over: 1e3 }],
    ["Wh", "watt hours, Wattstunden", { times: HOUR }],
    ["", "kWh, kilowatt hours, Kilowattstunden", { times: 1e3 * HOUR }],
    ["MWh", "", { times: 1e6 * HOUR }],
    ["", "GWh", { times: 1e9 * HOUR }],
  ],
  ohms: [
    ["m\u03a9", "", { over: 1e3 }],
    // The Greek letter; the ohm sign is composed of it.
    ["\u03a9", "ohm, ohms"],
    ["k\u03a9", "", { times: 1e3 }],
  ],
  celsius: [
    // The degree sign, and the ordinal that looks like it.
    ["", "\u00b0C, \u00baC, \u2103, \u00b0 C, deg C, degC, celsius, degrees celsius, Grad Celsius"],
    ["", "\u00b0F, \u00baF, \u2109, \u00b0 F, deg F, degF, fahrenheit", { shift: -32, times: 5, over: 9 }],
    ["", "degrees fahrenheit", { shift: -32, times: 5, over: 9 }],
    ["K", "kelvin", { shift: -273.15 }],
  ],
  hertz: [
    ["", "Hz, hertz"],
    ["", "kHz, kilohertz", { times: 1e3 }],
    ["MHz, Mhz", "megahertz", { times: 1e6 }],
    ["", "GHz, gigahertz", { times: 1e9 }],
  ],
  decibels: [["", "dB, decibel, decibels, Dezibel"]],
  dbm: [["", "dBm"]],
  lux: [["", "lx, lux"]],
  pascals: [
    ["Pa", "pascal, pascals"],
    ["hPa, mbar", "millibar, hectopascal, Hektopascal", { times: 100 }],
    ["kPa, KPa", "kilopascal", { times: 1e3 }],
    ["", "bar", { times: 1e5 }],
    ["MPa", "", { times: 1e6 }],
    ["", "psi", { times: 6894.757293168 }],
  ],
  grams: [
    ["mg", "milligram, milligrams", { over: 1e3 }],
    ["g", "gram, grams, Gramm, gramme, grammes, gramos"],
    ["", "kg, kilogram, kilograms, Kilogramm, kilogramme, kilogrammes", { times: 1e3 }],
  ],
  meters: [
    ["\u00b5m, \u03bcm", "", { over: 1e6 }],
    ["mm", "millimeter, millimeters, millimetre, millimetres", { over: 1e3 }],
    ["cm", "centimeter, centimeters, centimetre, Zentimeter", { over: 100 }],
    ["m", "meter, meters, metre, metres, mètre, mètres, metros"],
    ["", "km, kilometer, kilometers, kilometre, kilometres", { times: 1e3 }],
  ],
  liters: [
    ["ml, mL", "milliliter, milliliters, millilitres", { over: 1e3 }],
    ["l, L", "liter, liters, litre, litres, litros, litri"],
    ["m\u00b3, m3", "cubic meters, cubic metres, Kubikmeter", { times: 1e3 }],
  ],
};

export const DISPLAY_UNITS: readonly DisplayUnit[] = Object.entries(NAMES).flatMap(([base, units]) =>
  units.map(([symbols, words, factor]) => {
    return { base: base as BaseUnitName, ...factor, symbols: namesIn(symbols), words: namesIn(words) };
  }),
);

function namesIn(list: string): readonly string[] {
  return list === "" ? [] : list.split(", ");
}
