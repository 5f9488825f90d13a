import fc from "fast-check";
import { expect, test } from "vitest";
import { runs } from "../support/runs.ts";
import { type Faults, NO_FAULTS, SimulatedReplicas, seededRandom } from "./support/simulated-replicas.ts";

const TIMES = { leaseDurationMs: 12_000, renewDeadlineMs: 9_000, retryPeriodMs: 2_000 };
/** 0.88 to 1.12: a ratio of 1.27. 12 s to 9 s allow 1.33. */
const DRIFT = 0.12;
const FAULTY_MS = 20 * 60_000;

const faults = fc.record({
  loss: fc.double({ min: 0, max: 0.6, noNaN: true }),
  delayMs: fc.constantFrom(20, 500, 3_000, 15_000),
  disturbEveryMs: fc.constantFrom(10_000, 60_000, Number.POSITIVE_INFINITY),
  editEveryMs: fc.constantFrom(15_000, 120_000, Number.POSITIVE_INFINITY),
}) satisfies fc.Arbitrary<Faults>;

const contenders = fc.integer({ min: 2, max: 3 });
const seeds = fc.integer();

function replicas(count: number, seed: number, drift = DRIFT): SimulatedReplicas {
  return new SimulatedReplicas({ contenders: count, times: TIMES, random: seededRandom(seed), drift });
}

test("at most one replica leads under any faults, and exactly one after recovery", () => {
  fc.assert(
    fc.property(contenders, seeds, faults, (count, seed, given) => {
      const simulated = replicas(count, seed);
      simulated.faults = given;
      simulated.run(FAULTY_MS);
      expect(simulated.twoLeaders).toEqual([]);
      simulated.faults = NO_FAULTS;
      // The pause, and the longest wait for a Lease after it.
      simulated.run(90_000);
      const leaders = simulated.leaders();
      expect(leaders).toHaveLength(1);
      for (let seconds = 0; seconds < 120; seconds++) {
        simulated.run(1_000);
        expect(simulated.leaders()).toEqual(leaders);
      }
      expect(simulated.twoLeaders).toEqual([]);
    }),
    { numRuns: runs(150) },
  );
});

test("two replicas can lead if clocks differ by more than deadline and lease", () => {
  let seen = 0;
  for (let seed = 0; seed < 30; seed++) {
    const simulated = replicas(3, seed, 0.6);
    simulated.faults = { loss: 0.3, delayMs: 3_000, disturbEveryMs: 60_000, editEveryMs: Number.POSITIVE_INFINITY };
    simulated.run(FAULTY_MS);
    seen += simulated.twoLeaders.length;
  }
  expect(seen).toBeGreaterThan(0);
});

test("another replica leads within 15 s after a kill, and within 3 s after a release", () => {
  fc.assert(
    fc.property(contenders, seeds, fc.integer({ min: 0, max: 10_000 }), fc.boolean(), (count, seed, phase, inOrder) => {
      const simulated = replicas(count, seed, 0);
      simulated.run(30_000 + phase);
      const [leader] = simulated.leaders();
      const gone = 10 * 60_000;
      if (inOrder) simulated.stopLeader(gone);
      else simulated.killLeader(gone);
      const tookMs = simulated.runUntil(() => simulated.leaders().length > 0, 60_000);
      expect(tookMs).toBeLessThan(inOrder ? 3_000 : 15_000);
      expect(simulated.leaders()).not.toContain(leader);
    }),
    { numRuns: 100 },
  );
});
