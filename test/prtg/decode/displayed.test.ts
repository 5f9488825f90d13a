import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeChannel } from "../../../src/prtg/decode/channel.ts";
import { readCount, readNumber } from "../../../src/prtg/decode/displayed.ts";
import { noProblems } from "../../../src/prtg/decode/values.ts";
import { Premise } from "../../support/premise.ts";
import { runs } from "../../support/runs.ts";

const NBSP = "\u00a0";
const THIN = "\u202f";

describe("number of a displayed value", () => {
  test.each([
    ["42.5 %", "%", 42.5],
    ["42,5 %", "%", 42.5],
    ["42,5%", "%", 42.5],
    [`42,5${NBSP}%`, "%", 42.5],
    ["  7 msec ", " msec", 7],
    ["-1635 Days", "Days", -1635],
    ["\u22123,5 °C", "°C", -3.5],
    ["+3,5 °C", "°C", 3.5],
    ["1.234,5 msec", "msec", 1_234.5],
    ["1,234.5 msec", "msec", 1_234.5],
    [`1${NBSP}234${NBSP}567,25 kbit/s`, "kbit/s", 1_234_567.25],
    [`12${THIN}345 #`, "#", 12_345],
    ["1'234'567.5 MB", "MB", 1_234_567.5],
    ["1.234.567 #", "#", 1_234_567],
    ["1.234.567.890 #", "#", 1_234_567_890],
    ["0,125 Mbit/s", "Mbit/s", 0.125],
    ["0.125 Mbit/s", "Mbit/s", 0.125],
    ["1234,567 MB", "MB", 1_234.567],
    ["8.53e-05 Mbit/s", "Mbit/s", 8.53e-5],
    ["42,5", "", 42.5],
    ["42,5", "%", 42.5],
    ["1234", "%", 1_234],
    ["1.234", "%", 1.234],
    ["5 1/min", "1/min", 5],
    ["3 \u00b5s", "\u03bcs", 3],
  ])("%j in %j", (text, unit, expected) => expect(readNumber(text, unit)).toBe(expected));

  test.each([
    ["of another unit", "42.5 %", "msec"],
    ["of a unit that ends alike", "42.5 kbit/s", "bit/s"],
    ["of a unit where there is none", "42.5 %", ""],
    ["that could be two numbers, in English", "1,234 msec", "msec"],
    ["that could be two numbers, in German", "1.234 msec", "msec"],
    ["of several parts", "5 h 3 m", "m"],
    ["that is a bound", "< 1 %", "%"],
    ["with groups of other sizes", "1,23,456 #", "#"],
    ["with two kinds of groups", "1,234'567 #", "#"],
    ["with groups behind the decimals", "1.5,000 #", "#"],
    ["with groups that begin with 0", "0.123.456 #", "#"],
    ["without digits", "%", "%"],
    ["with a mark and no digits", ", %", "%"],
    ["that is not finite", "1e999 %", "%"],
    ["of two signs", "--5 %", "%"],
    ["in words", "Up", ""],
    ["too long", `${"1".repeat(100_000)} %`, "%"],
  ])("does not come from a text %s", (_why, text, unit) => expect(readNumber(text, unit)).toBeUndefined());

  const languages = ["en-US", "de-DE", "fr-FR", "de-CH", "sv-SE"] as const;
  const units = fc.constantFrom("%", "msec", "Mbit/s", "°C", "#", "1/min", "kB", "");
  const spaces = fc.constantFrom(" ", "", NBSP);

  test("matches any language, or is missing if ambiguous", () => {
    const written = fc.record({
      number: fc.oneof(
        fc.integer({ min: -10_000_000, max: 10_000_000 }),
        fc.double({ min: -1e7, max: 1e7, noNaN: true }),
      ),
      language: fc.constantFrom(...languages),
      decimals: fc.integer({ min: 0, max: 6 }),
      isGrouped: fc.boolean(),
      unit: units,
      space: spaces,
    });
    fc.assert(
      fc.property(written, ({ number, language, decimals, isGrouped, unit, space }) => {
        const format = new Intl.NumberFormat(language, { maximumFractionDigits: decimals, useGrouping: isGrouped });
        // Otherwise the digit would belong to the number.
        const between = unit.startsWith("1") ? " " : space;
        const text = `${format.format(number)}${unit === "" ? "" : between}${unit}`;
        const shown = Number(
          new Intl.NumberFormat("en-US", { maximumFractionDigits: decimals, useGrouping: false }).format(number),
        );
        const read = readNumber(text, unit);
        // JSON number syntax, so never German.
        if (/^-?\d+\.\d+$/.test(text)) {
          expect(read).toBe(Number(text));
          return;
        }
        const marks = format.format(number).replaceAll(/[0-9\-\u2212]/g, "");
        if (read === undefined) expect(marks).toMatch(/^[.,]$/);
        else expect(read).toBeCloseTo(shown, 9);
      }),
      { numRuns: runs(2_000) },
    );
  });

  test("always has the digits of the text", () => {
    const characters = fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom(..."0123456789") },
      { weight: 1, arbitrary: fc.constantFrom(...`.,-+' ${NBSP}x\u0663\u00bd`) },
    );
    const exponents = fc.constantFrom("", "", "e5", "E-3", "e+12");
    const texts = fc
      .tuple(fc.string({ unit: characters, maxLength: 14 }), exponents)
      .map(([digits, exponent]) => `${digits}${exponent}`);
    const digitsOf = (text: string) =>
      text
        .replace(/e.*/i, "")
        .replaceAll(/\D/g, "")
        .replaceAll(/^0+|0+$/g, "");
    const isRead = new Premise();
    fc.assert(
      fc.property(texts, units, (text, unit) => {
        const read = readNumber(`${text}${unit}`, unit);
        if (!isRead.holds(read !== undefined)) return;
        expect(Number.isFinite(read)).toBe(true);
        expect(digitsOf(String(read))).toBe(digitsOf(text));
      }),
      { numRuns: runs(1_000) },
    );
    isRead.expectOften();
  });

  test("takes linear time", () => {
    const hostile = ["1.", "1,1", "1 ", "'", "e+"].map((part) => part.repeat(50_000));
    for (const text of hostile) expect(readNumber(`${text} %`, "%")).toBeUndefined();
  });
});

describe("count in a text", () => {
  test.each([
    [1_234, 1_234],
    ["1234", 1_234],
    ["1,234", 1_234],
    ["1.234", 1_234],
    [`1${NBSP}234`, 1_234],
    ["1'234'567", 1_234_567],
    ["3,0", 3],
    ["0", 0],
  ])("reads %j as %i, because only a whole number fits", (value, expected) => expect(readCount(value)).toBe(expected));

  test.each(["1,5", 1.5, "5.000", "-3", -3, "1,23,456", "many", "", null, true, "1e20"])(
    "does not come from %j",
    (value) => expect(readCount(value)).toBeUndefined(),
  );
});

describe("channel whose value is a text", () => {
  const channel = (display_value: unknown, displayunit: string) => ({
    id: "2490.1",
    basic: { displayunit },
    last_measurement: { timestamp: "2026-03-12T17:55:10Z", value: 1, display_value },
  });

  test("has its number if the units agree", () => {
    const problems = noProblems();
    expect(decodeChannel(channel("1.234,5 msec", "msec"), problems)?.value).toBe(1_234.5);
    expect(problems).toEqual(noProblems());
  });

  test.each(["1,234 msec", "12 %", "n/a", ""])("has no value otherwise and counts as a problem: %j", (text) => {
    const problems = noProblems();
    expect(decodeChannel(channel(text, "msec"), problems)?.value).toBeUndefined();
    expect(problems).toEqual({ ...noProblems(), value: 1 });
  });
});
