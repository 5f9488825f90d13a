import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  escapeLabelValue,
  escapeOpenMetricsHelp,
  escapeTextHelp,
  formatLabels,
  formatValue,
} from "../../src/exposition/text-format.ts";
import { parseSample } from "../support/parse-sample.ts";

describe("escapeLabelValue", () => {
  test.each([
    ["plain", "plain"],
    ['say "hi"', 'say \\"hi\\"'],
    ["C:\\temp", "C:\\\\temp"],
    ["two\nlines", "two\\nlines"],
    ["\\n is not a newline", "\\\\n is not a newline"],
    ["carriage\rreturn", "carriage\rreturn"],
    ["lone \ud800 surrogate", "lone \ufffd surrogate"],
    ["", ""],
  ])("%j becomes %j", (value, escaped) => {
    expect(escapeLabelValue(value)).toBe(escaped);
  });

  test("survives a round trip of any Unicode string", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (first, second) => {
        const line = `m${formatLabels(["a", "b"], [first, second])} 1`;
        expect(parseSample(line)).toEqual({
          name: "m",
          labels: { a: first.toWellFormed(), b: second.toWellFormed() },
          value: "1",
        });
      }),
    );
  });

  test("survives a round trip of special characters", () => {
    const hostile = fc.string({ unit: fc.constantFrom("\\", "n", '"', "\n", ",", "}", "{", "=", " ", "\ud800", "é") });
    fc.assert(
      fc.property(hostile, (value) => {
        expect(parseSample(`m${formatLabels(["a"], [value])} 1`).labels).toEqual({ a: value.toWellFormed() });
      }),
    );
  });
});

describe("help", () => {
  test("keeps quotes in the text format and escapes them in OpenMetrics", () => {
    expect(escapeTextHelp('a "b" \\ \n')).toBe('a "b" \\\\ \\n');
    expect(escapeOpenMetricsHelp('a "b" \\ \n')).toBe('a \\"b\\" \\\\ \\n');
  });
});

describe("formatValue", () => {
  test.each([
    [0, "0"],
    [-0, "0"],
    [0.1, "0.1"],
    [1e21, "1e+21"],
    [8.533380741004116e-5, "0.00008533380741004116"],
    [Number.NaN, "NaN"],
    [Number.POSITIVE_INFINITY, "+Inf"],
    [Number.NEGATIVE_INFINITY, "-Inf"],
  ])("writes %d as %s", (value, text) => {
    expect(formatValue(value)).toBe(text);
  });

  test("keeps every bit", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => Number(formatValue(value)) === value),
    );
  });
});

test("omits braces without labels", () => {
  expect(formatLabels([], [])).toBe("");
});
