import fc from "fast-check";
import { expect, test } from "vitest";
import { runs } from "../support/runs.ts";
import { matcher, SENSORS, SyncRun } from "./support/sync-run.ts";
import type { Fault } from "./support/two-sides.ts";

type Step =
  | { readonly kind: "fails" | "recovers"; readonly sensor: number }
  | { readonly kind: "acknowledges"; readonly sensor: number; readonly minutes: number }
  | { readonly kind: "silences sensor" | "silences device"; readonly sensor: number; readonly minutes: number }
  | { readonly kind: "ends silence" | "extends silence"; readonly at: number; readonly minutes: number }
  | { readonly kind: "fault"; readonly fault: Fault }
  | { readonly kind: "Alertmanager away" | "PRTG away" | "sync away" | "waits"; readonly rounds: number };

const sensor = fc.integer({ min: 0, max: SENSORS - 1 });
const minutes = fc.integer({ min: 1, max: 60 });

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom("fails" as const, "recovers" as const), sensor }) },
  fc.record({ kind: fc.constant("acknowledges" as const), sensor, minutes }),
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom("silences sensor" as const, "silences device" as const),
      ...{ sensor, minutes },
    }),
  },
  fc.record({ kind: fc.constantFrom("ends silence" as const, "extends silence" as const), at: fc.nat(5), minutes }),
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("fault" as const),
      fault: fc.record({
        kind: fc.constantFrom("kill" as const, "lost" as const),
        after: fc.nat(12),
        isApplied: fc.boolean(),
      }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom("Alertmanager away", "PRTG away", "sync away", "waits"),
      rounds: fc.integer({ min: 1, max: 25 }),
    }),
  },
);

async function take(run: SyncRun, taken: Step): Promise<void> {
  const { world } = run;
  switch (taken.kind) {
    case "fails":
    case "recovers":
      world.setFailing(String(taken.sensor), taken.kind === "fails");
      break;
    case "acknowledges":
      world.acknowledgeByPerson(String(taken.sensor), taken.minutes);
      break;
    case "silences sensor":
      world.silenceByPerson([matcher("sensor_id", String(taken.sensor))], taken.minutes);
      break;
    case "silences device":
      world.silenceByPerson([matcher("device_id", String(100 + (taken.sensor >> 1)))], taken.minutes);
      break;
    case "ends silence":
      world.endSilence(world.foreign[taken.at]?.id ?? "");
      break;
    case "extends silence":
      world.extendSilence(world.foreign[taken.at]?.id ?? "", taken.minutes);
      break;
    case "fault":
      world.failAfter(taken.fault);
      break;
    case "waits":
      await run.rounds(taken.rounds);
      break;
    case "Alertmanager away":
      world.isAlertmanagerDown = true;
      await run.rounds(taken.rounds);
      world.isAlertmanagerDown = false;
      break;
    case "sync away":
      run.goAway(taken.rounds);
      break;
    case "PRTG away":
      world.isPrtgDown = true;
      await run.rounds(taken.rounds);
      world.isPrtgDown = false;
      break;
  }
}

test("both sides agree after the last fault, without an echo and with nothing twice", async () => {
  const scenario = fc.array(step, { minLength: 4, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(scenario, async (steps) => {
      const run = new SyncRun();
      for (const each of steps) {
        await take(run, each);
        // What persons do while sync is away, is done before it is back.
        if (each.kind !== "sync away") await run.rounds(1);
      }
      const { world } = run;
      world.restart();
      // An acknowledgement of sync counts as its own until two minutes after its end.
      await run.rounds(8);
      expect(world.wrongs).toEqual([]);
      const own = world.own;
      expect(new Set(own).size).toBe(own.length);
      for (const known of world.sensors.values()) {
        const status = world.statusOf(known);
        const isCovered = world.isCoveredByPerson(known);
        if (isCovered) expect(status, `sensor ${known.id} under a silence`).not.toBe("down");
        const isOfPerson = status === "acknowledged" && known.acknowledged?.by === "person";
        const has = own.includes(`acknowledged hq/${known.id}`);
        if (has) expect(isOfPerson, `sensor ${known.id} with a silence of sync`).toBe(true);
        if (isOfPerson && !isCovered && !run.remembers(known.id))
          expect(has, `sensor ${known.id} of a person`).toBe(true);
      }
    }),
    { numRuns: runs(1_000) },
  );
});
