import type { BaseUnitName } from "./base-units.ts";

/** Value in the base unit: `(value + shift) * times / over`. */
export interface DisplayUnit {
  readonly base: BaseUnitName;
  /** Case-sensitive: `mW` is not `MW`. */
  readonly symbols?: readonly string[];
  /** Case-insensitive. */
  readonly words?: readonly string[];
  readonly shift?: number;
  readonly times?: number;
  readonly over?: number;
  /** Replaces `times` if bytes are counted in powers of 1024. */
  readonly binary?: number;
}

const KIBI = 1024;
const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/* In the languages of the PRTG user interface, except ambiguous words. */

const TIME: readonly DisplayUnit[] = [
  { base: "seconds", over: 1e9, symbols: ["ns"], words: ["nsec", "nanosecond", "nanoseconds", "Nanosekunden"] },
  {
    base: "seconds",
    over: 1e6,
    // The micro sign and the Greek letter.
    symbols: ["\u00b5s", "\u03bcs", "us"],
    words: ["\u00b5sec", "\u03bcsec", "usec", "microsecond", "microseconds", "Mikrosekunde", "Mikrosekunden"],
  },
  {
    base: "seconds",
    over: 1000,
    symbols: ["ms"],
    words: [
      ...["msec", "msecs", "msec.", "millisec", "millisecond", "milliseconds"],
      ...["msek", "msek.", "Millisekunde", "Millisekunden"],
      ...["milliseconde", "millisecondes", "milliseconden", "milisegundo", "milisegundos"],
      ...["millisegundo", "millisegundos", "millisecondo", "millisecondi", "мс", "ミリ秒", "毫秒"],
    ],
  },
  {
    base: "seconds",
    symbols: ["s"],
    words: [
      ...["sec", "secs", "sec.", "second", "seconds", "sek", "sek.", "Sekunde", "Sekunden", "seconde", "secondes"],
      ...["seconden", "segundo", "segundos", "seg", "seg.", "secondo", "secondi", "сек", "сек.", "秒"],
    ],
  },
  {
    base: "seconds",
    times: MINUTE,
    words: ["min", "mins", "min.", "minute", "minutes", "Minuten", "minuto", "minutos", "minuti", "мин", "мин.", "分"],
  },
  {
    base: "seconds",
    times: HOUR,
    symbols: ["h"],
    words: [
      ...["hr", "hrs", "hour", "hours", "std", "std.", "Stunde", "Stunden", "heure", "heures", "hora", "horas"],
      ...["ora", "ore", "uur", "uren", "час", "ч", "ч.", "時間", "小时"],
    ],
  },
  {
    base: "seconds",
    times: DAY,
    symbols: ["d"],
    words: [
      ...["day", "days", "Tag", "Tage", "jour", "jours", "día", "días", "dia", "dias", "giorno", "giorni", "dag"],
      ...["dagen", "дн", "дн.", "日", "天"],
    ],
  },
  {
    base: "seconds",
    times: 7 * DAY,
    words: ["wk", "week", "weeks", "Woche", "Wochen", "semaine", "semaines", "semana", "semanas", "settimane", "weken"],
  },
];

const SIZES: readonly DisplayUnit[] = [
  { base: "bytes", symbols: ["B"], words: ["byte", "bytes", "octet", "octets", "байт", "バイト", "字节"] },
  {
    base: "bytes",
    times: 1e3,
    binary: KIBI,
    symbols: ["kB", "KB", "ko", "Ko"],
    words: ["kbyte", "kbytes", "kilobyte", "kilobytes", "kilooctets", "кбайт"],
  },
  {
    base: "bytes",
    times: 1e6,
    binary: KIBI ** 2,
    symbols: ["MB", "Mo"],
    words: ["mbyte", "mbytes", "megabyte", "megabytes", "mégaoctets", "мбайт"],
  },
  {
    base: "bytes",
    times: 1e9,
    binary: KIBI ** 3,
    symbols: ["GB", "Go"],
    words: ["gbyte", "gbytes", "gigabyte", "gigabytes", "gigaoctets", "гбайт"],
  },
  {
    base: "bytes",
    times: 1e12,
    binary: KIBI ** 4,
    symbols: ["TB", "To"],
    words: ["tbyte", "tbytes", "terabyte", "terabytes", "téraoctets", "тбайт"],
  },
  {
    base: "bytes",
    times: 1e15,
    binary: KIBI ** 5,
    symbols: ["PB", "Po"],
    words: ["pbyte", "pbytes", "petabyte", "petabytes"],
  },
  { base: "bytes", times: KIBI, symbols: ["KiB", "kiB", "Kio", "kio"], words: ["kibyte", "kibibyte", "kibibytes"] },
  { base: "bytes", times: KIBI ** 2, symbols: ["MiB", "Mio"], words: ["mibyte", "mebibyte", "mebibytes"] },
  { base: "bytes", times: KIBI ** 3, symbols: ["GiB", "Gio"], words: ["gibyte", "gibibyte", "gibibytes"] },
  { base: "bytes", times: KIBI ** 4, symbols: ["TiB", "Tio"], words: ["tibyte", "tebibyte", "tebibytes"] },
  { base: "bytes", times: KIBI ** 5, symbols: ["PiB", "Pio"], words: ["pibyte", "pebibyte", "pebibytes"] },
  // Bits count in 1000s: the product shows an idle link's 85.33 bit/s as 0.00008533 Mbit/s.
  { base: "bytes", over: 8, words: ["bit", "bits", "бит"] },
  {
    base: "bytes",
    times: 1e3,
    over: 8,
    symbols: ["kb", "Kb"],
    words: ["kbit", "kbits", "kilobit", "kilobits", "кбит"],
  },
  { base: "bytes", times: 1e6, over: 8, symbols: ["Mb"], words: ["mbit", "mbits", "megabit", "megabits", "мбит"] },
  { base: "bytes", times: 1e9, over: 8, symbols: ["Gb"], words: ["gbit", "gbits", "gigabit", "gigabits", "гбит"] },
  { base: "bytes", times: 1e12, over: 8, symbols: ["Tb"], words: ["tbit", "tbits", "terabit", "terabits"] },
];

/** Rates without a slash. */
const RATES: readonly DisplayUnit[] = [
  { base: "bytes_per_second", symbols: ["Bps"] },
  { base: "bytes_per_second", times: 1e3, binary: KIBI, symbols: ["kBps", "KBps"] },
  { base: "bytes_per_second", times: 1e6, binary: KIBI ** 2, symbols: ["MBps"] },
  { base: "bytes_per_second", times: 1e9, binary: KIBI ** 3, symbols: ["GBps"] },
  { base: "bytes_per_second", over: 8, symbols: ["bps"] },
  { base: "bytes_per_second", times: 1e3, over: 8, symbols: ["kbps", "Kbps"] },
  { base: "bytes_per_second", times: 1e6, over: 8, symbols: ["Mbps", "mbps"] },
  { base: "bytes_per_second", times: 1e9, over: 8, symbols: ["Gbps", "gbps"] },
  { base: "per_second", words: ["iops"] },
  { base: "rpm", words: ["rpm", "r/min", "rev/min", "revs/min", "u/min", "upm", "tr/min", "giri/min"] },
  { base: "meters_per_second", times: 1e3, over: HOUR, words: ["kmh", "kph"] },
];

const SHARES: readonly DisplayUnit[] = [
  {
    base: "ratio",
    over: 100,
    symbols: ["%"],
    words: ["percent", "per cent", "pct", "Prozent", "pour cent", "por ciento", "por cento", "per cento", "procent"],
  },
  { base: "ratio", over: 1000, symbols: ["‰"], words: ["per mille", "Promille"] },
  { base: "ratio", over: 1e6, words: ["ppm"] },
  {
    base: "count",
    symbols: ["#"],
    words: ["count", "counts", "Anzahl", "pcs", "pcs.", "Stück", "Stk", "Stk.", "page", "pages", "Seiten"],
  },
];

const ELECTRICITY: readonly DisplayUnit[] = [
  { base: "volts", over: 1e6, symbols: ["\u00b5V", "\u03bcV", "uV"] },
  { base: "volts", over: 1e3, symbols: ["mV"], words: ["millivolt", "millivolts"] },
  { base: "volts", symbols: ["V"], words: ["volt", "volts", "voltios"] },
  { base: "volts", times: 1e3, symbols: ["kV", "KV"], words: ["kilovolt", "kilovolts"] },
  { base: "amperes", over: 1e6, symbols: ["\u00b5A", "\u03bcA", "uA"] },
  { base: "amperes", over: 1e3, symbols: ["mA"], words: ["milliampere", "milliamperes", "milliamp", "milliamps"] },
  { base: "amperes", symbols: ["A"], words: ["ampere", "amperes", "amp", "amps", "ampère", "ampères", "amperios"] },
  { base: "amperes", times: 1e3, symbols: ["kA"] },
  { base: "watts", over: 1e3, symbols: ["mW"], words: ["milliwatt", "milliwatts"] },
  { base: "watts", symbols: ["W"], words: ["watt", "watts", "vatios"] },
  { base: "watts", times: 1e3, symbols: ["kW", "KW"], words: ["kilowatt", "kilowatts"] },
  { base: "watts", times: 1e6, symbols: ["MW"], words: ["megawatt", "megawatts"] },
  { base: "watts", times: 1e9, symbols: ["GW"], words: ["gigawatt", "gigawatts"] },
  { base: "voltamperes", symbols: ["VA"], words: ["volt-ampere", "volt-amperes"] },
  { base: "voltamperes", times: 1e3, symbols: ["kVA", "KVA"] },
  { base: "voltamperes", times: 1e6, symbols: ["MVA"] },
  { base: "joules", symbols: ["J"], words: ["joule", "joules"] },
  { base: "joules", times: 1e3, symbols: ["kJ", "KJ"], words: ["kilojoule", "kilojoules"] },
  { base: "joules", times: 1e6, symbols: ["MJ"], words: ["megajoule", "megajoules"] },
  { base: "joules", over: 1000, times: HOUR, symbols: ["mWh"] },
  { base: "joules", times: HOUR, symbols: ["Wh"], words: ["watt hours", "Wattstunden"] },
  { base: "joules", times: 1e3 * HOUR, words: ["kWh", "kilowatt hours", "Kilowattstunden"] },
  { base: "joules", times: 1e6 * HOUR, symbols: ["MWh"] },
  { base: "joules", times: 1e9 * HOUR, words: ["GWh"] },
  { base: "ohms", over: 1e3, symbols: ["m\u03a9"] },
  // The Greek letter; the ohm sign is composed of it.
  { base: "ohms", symbols: ["\u03a9"], words: ["ohm", "ohms"] },
  { base: "ohms", times: 1e3, symbols: ["k\u03a9"] },
];

const PHYSICS: readonly DisplayUnit[] = [
  {
    base: "celsius",
    // The degree sign, and the ordinal that looks like it.
    words: ["\u00b0C", "\u00baC", "\u2103", "\u00b0 C", "deg C", "degC", "celsius", "degrees celsius", "Grad Celsius"],
  },
  {
    base: "celsius",
    shift: -32,
    times: 5,
    over: 9,
    words: ["\u00b0F", "\u00baF", "\u2109", "\u00b0 F", "deg F", "degF", "fahrenheit", "degrees fahrenheit"],
  },
  { base: "celsius", shift: -273.15, symbols: ["K"], words: ["kelvin"] },
  { base: "hertz", words: ["Hz", "hertz"] },
  { base: "hertz", times: 1e3, words: ["kHz", "kilohertz"] },
  { base: "hertz", times: 1e6, symbols: ["MHz", "Mhz"], words: ["megahertz"] },
  { base: "hertz", times: 1e9, words: ["GHz", "gigahertz"] },
  { base: "decibels", words: ["dB", "decibel", "decibels", "Dezibel"] },
  { base: "dbm", words: ["dBm"] },
  { base: "lux", words: ["lx", "lux"] },
  { base: "pascals", symbols: ["Pa"], words: ["pascal", "pascals"] },
  { base: "pascals", times: 100, symbols: ["hPa", "mbar"], words: ["millibar", "hectopascal", "Hektopascal"] },
  { base: "pascals", times: 1e3, symbols: ["kPa", "KPa"], words: ["kilopascal"] },
  { base: "pascals", times: 1e5, words: ["bar"] },
  { base: "pascals", times: 1e6, symbols: ["MPa"] },
  { base: "pascals", times: 6894.757293168, words: ["psi"] },
  { base: "grams", over: 1e3, symbols: ["mg"], words: ["milligram", "milligrams"] },
  { base: "grams", symbols: ["g"], words: ["gram", "grams", "Gramm", "gramme", "grammes", "gramos"] },
  { base: "grams", times: 1e3, words: ["kg", "kilogram", "kilograms", "Kilogramm", "kilogramme", "kilogrammes"] },
  { base: "meters", over: 1e6, symbols: ["\u00b5m", "\u03bcm"] },
  { base: "meters", over: 1e3, symbols: ["mm"], words: ["millimeter", "millimeters", "millimetre", "millimetres"] },
  { base: "meters", over: 100, symbols: ["cm"], words: ["centimeter", "centimeters", "centimetre", "Zentimeter"] },
  { base: "meters", symbols: ["m"], words: ["meter", "meters", "metre", "metres", "mètre", "mètres", "metros"] },
  { base: "meters", times: 1e3, words: ["km", "kilometer", "kilometers", "kilometre", "kilometres"] },
  { base: "liters", over: 1e3, symbols: ["ml", "mL"], words: ["milliliter", "milliliters", "millilitres"] },
  { base: "liters", symbols: ["l", "L"], words: ["liter", "liters", "litre", "litres", "litros", "litri"] },
  { base: "liters", times: 1e3, symbols: ["m\u00b3", "m3"], words: ["cubic meters", "cubic metres", "Kubikmeter"] },
];

/** Rates also have the form `<unit>/<s, min, h or d>`. */
export const DISPLAY_UNITS: readonly DisplayUnit[] = [
  ...TIME,
  ...SIZES,
  ...RATES,
  ...SHARES,
  ...ELECTRICITY,
  ...PHYSICS,
];
