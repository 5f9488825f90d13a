import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  BASE_UNIT_NAMES,
  BASE_UNITS,
  type BaseUnitName,
  type Conversion,
  convert,
  RATES,
  UNCHANGED,
} from "../../../src/mapping/units/base-units.ts";
import { DISPLAY_UNITS } from "../../../src/mapping/units/display-units.ts";
import { type ByteUnits, UnitReader } from "../../../src/mapping/units/unit-reader.ts";
import { metricUnit } from "../../../src/otlp/metric-data.ts";
import { Premise } from "../../support/premise.ts";
import { runs } from "../../support/runs.ts";

const BINARY = new UnitReader("binary");
const DECIMAL = new UnitReader("decimal");

function inBase(value: number, unit: string, byteUnits: ByteUnits = "binary"): string | undefined {
  const reading = (byteUnits === "binary" ? BINARY : DECIMAL).read(unit);
  return reading && `${convert(reading.conversion, value)} ${reading.base}`;
}

describe("value in its base unit", () => {
  test.each<[number, string, string]>([
    [9, "msec", "0.009 seconds"],
    [9, "ms", "0.009 seconds"],
    [250, "µs", "0.00025 seconds"],
    [250, "μs", "0.00025 seconds"],
    [90, "min", "5400 seconds"],
    [2, "h", "7200 seconds"],
    [-1635, "d", "-141264000 seconds"],
    [3, "Std.", "10800 seconds"],
    [3, "Sek.", "3 seconds"],
    [3, "días", "259200 seconds"],
    [3, "di\u0301as", "259200 seconds"],
    [74, "%", "0.74 ratio"],
    [7, "Prozent", "0.07 ratio"],
    [2, "KByte", "2048 bytes"],
    [2, "kB", "2048 bytes"],
    [2, "MB", "2097152 bytes"],
    [2, "GByte", "2147483648 bytes"],
    [2, "Go", "2147483648 bytes"],
    [2, "TB", "2199023255552 bytes"],
    [2, "KiB", "2048 bytes"],
    [8, "bit", "1 bytes"],
    [1, "Mbit/s", "125000 bytes_per_second"],
    [1, "mbit/s", "125000 bytes_per_second"],
    [1, "MBIT/S", "125000 bytes_per_second"],
    [1, "Mbps", "125000 bytes_per_second"],
    [1, "MBps", "1048576 bytes_per_second"],
    [1, "Gbit/s", "125000000 bytes_per_second"],
    [3, "KByte/s", "3072 bytes_per_second"],
    [3, "KByte / s", "3072 bytes_per_second"],
    [60, "MB/min", "1048576 bytes_per_second"],
    [3600, "Byte/h", "1 bytes_per_second"],
    [5, "bytes per second", "5 bytes_per_second"],
    [5, "octets par seconde", "5 bytes_per_second"],
    [5, "#/s", "5 per_second"],
    [5, "/s", "5 per_second"],
    [30, "#/min", "0.5 per_second"],
    [36, "km/h", "10 meters_per_second"],
    [120, "l/min", "2 liters_per_second"],
    [250, "milliliters", "0.25 liters"],
    [212, "°F", "100 celsius"],
    [300, "K", "26.850000000000023 celsius"],
    [21.5, "°C", "21.5 celsius"],
    [230, "V", "230 volts"],
    [13, "mV", "0.013 volts"],
    [5, "mW", "0.005 watts"],
    [5, "MW", "5000000 watts"],
    [2, "kWh", "7200000 joules"],
    [50, "Hz", "50 hertz"],
    [5, "kHz", "5000 hertz"],
    [2.4, "GHz", "2400000000 hertz"],
    [-70, "dBm", "-70 dbm"],
    [1013, "hPa", "101300 pascals"],
    [1, "bar", "100000 pascals"],
    [2, "kg", "2000 grams"],
    [12, "pages", "12 count"],
    [1200, "U/min", "1200 rpm"],
  ])("%s %s gives %s", (value, unit, expected) => {
    expect(inBase(value, unit)).toBe(expected);
  });

  test.each([
    [2, "KByte", "2000 bytes"],
    [2, "MB/s", "2000000 bytes_per_second"],
    [2, "KiB", "2048 bytes"],
    [8, "kbit/s", "1000 bytes_per_second"],
  ])("with decimal sizes, %s %s gives %s", (value, unit, expected) => {
    expect(inBase(value, unit, "decimal")).toBe(expected);
  });

  test.each([
    ...["", " ", "widgets", "orders/min", "S", "MS", "mb", "M", "k", "w", "C", "/", "s/s", "%/s", "/ms", "/week"],
    ...["KByte/", "KByte//s", "m/s2", "KByte/s/s", "toString", "__proto__", "s".repeat(1000), "\ud800", "1e3"],
  ])("is unknown for %j", (unit) => {
    expect(inBase(1, unit)).toBeUndefined();
  });
});

const SPELLINGS = DISPLAY_UNITS.flatMap((unit) => [...unit.symbols, ...unit.words]);
const RATE_SPELLINGS = DISPLAY_UNITS.filter(({ base }) => RATES[base] !== undefined).flatMap((unit) =>
  [...unit.symbols, ...unit.words].flatMap((text) => ["s", "min", "h", "d"].map((per) => `${text}/${per}`)),
);

describe("unit table", () => {
  test("has every spelling once", () => {
    const symbols = DISPLAY_UNITS.flatMap((unit) => unit.symbols.map((text) => text.normalize("NFC")));
    const words = DISPLAY_UNITS.flatMap((unit) => unit.words.map((text) => text.normalize("NFC").toLowerCase()));
    const all = [...symbols, ...words];
    expect(all.filter((text, index) => all.indexOf(text) !== index)).toEqual([]);
  });

  test("reads every spelling as its unit, and words in any case", () => {
    for (const unit of DISPLAY_UNITS) {
      const words = unit.words.flatMap((word) => [word, word.toLowerCase(), word.toUpperCase()]);
      const { shift = 0, times = 1, over = 1 } = unit;
      for (const text of [...unit.symbols, ...words]) {
        const expected = { base: unit.base, conversion: { shift, times, over, plus: 0 } };
        // Another unit's symbol has precedence: MBAR is no megabar.
        if (DISPLAY_UNITS.some((other) => other !== unit && other.symbols.includes(text))) continue;
        expect({ text, ...DECIMAL.read(text) }).toEqual({ text, ...expected });
      }
    }
  });

  test("survives a round trip through the base unit", () => {
    const value = fc.double({ min: -1e12, max: 1e12, noNaN: true });
    for (const reader of [BINARY, DECIMAL]) {
      for (const text of [...SPELLINGS, ...RATE_SPELLINGS]) {
        const reading = reader.read(text);
        expect({ text, base: reading?.base }).toEqual({ text, base: expect.any(String) });
        if (reading === undefined) continue;
        fc.assert(
          fc.property(value, (given) => {
            const back = convertBack(reading.conversion, convert(reading.conversion, given));
            return (
              Math.abs(back - given) <= 1e-12 * Math.max(Math.abs(given), Math.abs(reading.conversion.shift), 1e-3)
            );
          }),
          { numRuns: 8 },
        );
      }
    }
  });

  test("keeps the order of values and the side of limits", () => {
    for (const text of SPELLINGS) {
      const { conversion = UNCHANGED } = BINARY.read(text) ?? {};
      expect(convert(conversion, 2)).toBeGreaterThan(convert(conversion, 1));
    }
  });

  test("has every base unit in at least one spelling", () => {
    const read = [...SPELLINGS, ...RATE_SPELLINGS].map((text) => BINARY.read(text)?.base);
    expect(new Set(read)).toEqual(new Set(BASE_UNIT_NAMES));
  });

  test("reads any text without failing", () => {
    const part = fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(...SPELLINGS, ...RATE_SPELLINGS) },
      fc.constantFrom("/", "k", "10", "per", " "),
      fc.string({ unit: "binary", maxLength: 20 }),
    );
    const texts = fc.array(part, { minLength: 1, maxLength: 3, size: "xsmall" }).map((parts) => parts.join(""));
    const isRead = new Premise();
    fc.assert(
      fc.property(texts, (text) => {
        const reading = BINARY.read(text);
        if (!isRead.holds(reading !== undefined) || reading === undefined) return;
        expect(Number.isFinite(convert(reading.conversion, 1))).toBe(true);
      }),
      { numRuns: runs(2000) },
    );
    isRead.expectOften();
  });
});

describe("base units", () => {
  test("are sorted", () => {
    expect([...BASE_UNIT_NAMES]).toEqual([...BASE_UNIT_NAMES].sort());
  });

  test.each(BASE_UNIT_NAMES)("%s: OTLP uses the unit of the name, or none", (name: BaseUnitName) => {
    const { suffix, ucum } = BASE_UNITS[name];
    const unit = metricUnit(`prtg_channel_${suffix}`);
    expect(["", ucum]).toContain(unit);
    // Translators know these words, so the exporter must send their units.
    const known = ["seconds", "bytes", "celsius", "volts", "amperes", "joules", "watts", "grams", "hertz", "meters"];
    if (known.includes(name)) expect(unit).toBe(ucum);
  });
});

/** Inverse of `convert`. */
function convertBack({ shift, times, over, plus }: Conversion, converted: number): number {
  return ((converted - plus) * over) / times - shift;
}
