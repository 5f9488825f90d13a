import { describe, expect, test } from "vitest";
import { redactStrings } from "../../../src/app/reports/report-values.ts";
import { Redactor } from "../../../src/errors/redactor.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { TimeSlices } from "../../../src/lib/yielding.ts";

describe("redactStrings", () => {
  test("redacts lists, objects and keys, and leaves other values", async () => {
    const redactor = new Redactor();
    redactor.add("secret");
    const given = { "a secret": ["secret", 1, null, true, undefined, { deep: "no secret" }] };
    expect(await redactStrings(given, redactor, new TimeSlices(systemClock))).toEqual({
      "a [redacted]": ["[redacted]", 1, null, true, undefined, { deep: "no [redacted]" }],
    });
  });
});
