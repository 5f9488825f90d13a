import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseRetryAfterMs } from "../../../src/lib/http/headers.ts";

describe("parseRetryAfterMs", () => {
  const now = Date.UTC(2026, 0, 15, 12);

  test.each([
    { text: "5", ms: 5_000 },
    { text: " 1.5 ", ms: 1_500 },
    { text: "0", ms: 0 },
    { text: "Thu, 15 Jan 2026 12:00:30 GMT", ms: 30_000 },
    { text: "Thu, 15 Jan 2026 11:59:30 GMT", ms: 0 },
    { text: "99999999999", ms: 900_000 },
    { text: "Fri, 15 Jan 2027 12:00:00 GMT", ms: 900_000 },
    { text: undefined, ms: undefined },
    { text: "", ms: undefined },
    { text: "soon", ms: undefined },
    { text: "2026-01-15", ms: undefined },
    { text: "-5", ms: undefined },
    { text: "Thursday or so", ms: undefined },
  ])("reads $text as $ms ms", ({ text, ms }) => {
    expect(parseRetryAfterMs(text, now)).toBe(ms);
  });

  test("returns only bounded times", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const ms = parseRetryAfterMs(text, now) ?? 0;
        expect(ms >= 0 && ms <= 900_000).toBe(true);
      }),
    );
  });
});
