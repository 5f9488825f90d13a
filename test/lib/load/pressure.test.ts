import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Load, PressureGauge } from "../../../src/lib/load/pressure.ts";

const IDLE: Load = { loop: 0.1, processor: 0.1, heap: 0.3, delayMs: 2 };

function after(loads: readonly Load[]): PressureGauge {
  const gauge = new PressureGauge();
  for (const load of loads) gauge.measured(load);
  return gauge;
}

function during(load: Partial<Load>, seconds: number): PressureGauge {
  return after(Array.from({ length: seconds }, () => ({ ...IDLE, ...load })));
}

describe("the pressure", () => {
  test.each<[string, Partial<Load>, string]>([
    ["with nothing to do", {}, "calm"],
    ["of a loop that has time to spare", { loop: 0.5 }, "calm"],
    ["of a loop that is neither idle nor busy", { loop: 0.65 }, "steady"],
    ["of a busy loop", { loop: 0.9 }, "high"],
    ["of busy processors", { processor: 0.95 }, "high"],
    ["of a heap that is nearly full", { heap: 0.95 }, "high"],
    ["of timers that come late, as with a quota of processor time that is used up", { delayMs: 150 }, "high"],
  ])("%s", (_, load, pressure) => {
    expect(during(load, 10).pressure).toBe(pressure);
  });

  test("does not rise by one busy second", () => {
    const gauge = during({}, 10);
    expect(gauge.measured({ ...IDLE, loop: 1 })).not.toBe("high");
    gauge.measured({ ...IDLE, loop: 1 });
    expect(gauge.measured({ ...IDLE, loop: 1 })).toBe("high");
  });

  test("does not swing with a load about a bound", () => {
    const gauge = during({ loop: 0.78 }, 10);
    const seen = Array.from({ length: 20 }, (_, second) =>
      gauge.measured({ ...IDLE, loop: second % 2 === 0 ? 0.6 : 0.78 }),
    );
    expect(seen).not.toContain("calm");
  });

  test("follows any course within seconds", () => {
    const part = fc.double({ min: 0, max: 1, noNaN: true });
    const load = fc.record({
      loop: part,
      processor: part,
      heap: part,
      delayMs: fc.double({ min: 0, max: 5_000, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(load, { maxLength: 30 }), (course) => {
        const gauge = after(course);
        for (let second = 0; second < 15; second++) gauge.measured({ ...IDLE, loop: 1 });
        expect(gauge.pressure).toBe("high");
        for (let second = 0; second < 15; second++) gauge.measured(IDLE);
        expect(gauge.pressure).toBe("calm");
      }),
    );
  });
});
