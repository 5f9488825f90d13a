import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { placeOfStatus } from "../../../../src/http/pages/status/status-order.ts";
import { sumUp } from "../../../../src/http/pages/status/status-sum.ts";
import { isPaused, STATUS_TOKENS, type StatusToken } from "../../../../src/prtg/status.ts";
import { runs } from "../../../support/runs.ts";

function sum(own: StatusToken | null, below: Partial<Record<StatusToken, number>>) {
  return sumUp<string>(own, Object.entries(below));
}

describe("status of an object with all below it", () => {
  it("is the worst status below with its share of the sensors that are not paused", () => {
    expect(sum("up", { up: 20, warning: 1, down: 310, acknowledged: 37, pausedbyuser: 9 })).toEqual({
      ...{ status: "down", affected: 310, sensors: 368 },
    });
    expect(sum("down", { up: 3, unknown: 2 })).toEqual({ status: "unknown", affected: 2, sensors: 5 });
  });

  it.each(["pausedbyuser", "pausedbydependency", "disconnected"] as const)("is the own status %s", (own) => {
    expect(sum(own, { down: 3, up: 1 })).toEqual({ status: own, affected: 0, sensors: 4 });
  });

  it("is paused if all sensors below are paused, or the own status without sensors", () => {
    expect(sum("up", { pausedbyschedule: 3 })).toEqual({ status: "pausedbyschedule", affected: 0, sensors: 0 });
    expect(sum("up", {})).toEqual({ status: "up", affected: 0, sensors: 0 });
    expect(sum("up", { down: 0 })).toEqual({ status: "up", affected: 0, sensors: 0 });
    expect(sum(null, {})).toBeUndefined();
  });

  it("is never better than a sensor below that is not paused", () => {
    const counts = fc.array(fc.tuple(fc.constantFrom(...STATUS_TOKENS), fc.nat(5)), { maxLength: 8 });
    fc.assert(
      fc.property(counts, (below) => {
        const found = sumUp("up", new Map(below));
        for (const [status, count] of new Map(below)) {
          if (count === 0 || isPaused(status)) continue;
          expect(placeOfStatus(found?.status)).toBeLessThanOrEqual(placeOfStatus(status));
          expect(found?.affected).toBeGreaterThan(0);
          expect(found?.affected).toBeLessThanOrEqual(found?.sensors ?? 0);
        }
      }),
      { numRuns: runs(500) },
    );
  });
});
