import fc from "fast-check";
import { seededRandom } from "prtg-simulator/src/random.ts";
import { expect, test } from "vitest";
import type { KnownChannels } from "../../src/measurements/plan.ts";
import { runs } from "../support/runs.ts";
import { HOUR, measurementSetup, recordedSensor } from "./support/measurement-setup.ts";

const MINUTES = 30;
const DROPPING: KnownChannels = { kept: ["0"], dropped: ["1", "-4"] };

/**
 * Half an hour with failures, down sensors, clock changes and kills. Depends only on the seed.
 * @returns values of channel 0, and the number of values the server sent
 */
async function play(seed: number, channelsOf: (() => KnownChannels) | undefined) {
  const random = seededRandom(seed);
  const isOften = (part: number): boolean => random() < part;
  const sensors = [recordedSensor("7", 60), recordedSensor("8", 30), recordedSensor("9", 10, { phaseSeconds: 3 })];
  const subject = measurementSetup(sensors, {
    requestsPerCycle: 20,
    // Keeps the number of requests independent of values per row.
    maxBatchPoints: 1_000_000,
    ...(channelsOf === undefined ? {} : { channelsOf }),
  });
  const { server, receiver, clock } = subject;
  let process = await subject.start();
  for (let minute = 0; minute < MINUTES; minute++) {
    server.failure = isOften(0.2) ? "API_UNAVAILABLE" : undefined;
    receiver.behaviour = isOften(0.2) ? "is down" : "accepts";
    if (isOften(0.1)) server.down.set("8", server.now());
    else if (isOften(0.3)) server.down.delete("8");
    if (isOften(0.1)) await clock.advance(random() * 6 * HOUR);
    if (isOften(0.1)) {
      process.kill();
      process = await subject.start();
    }
    await subject.run(process, 1, 20_000 + Math.floor(random() * 60_000));
  }
  server.failure = undefined;
  receiver.behaviour = "accepts";
  await subject.run(process, 5);
  await subject.stop(process);
  const points = receiver.received.flatMap(({ sensorId, at, resolution, values }) =>
    values.filter(([channelId]) => channelId === "0").map(([, value]) => ({ sensorId, at, resolution, value })),
  );
  return { points, values: server.answeredValues };
}

test("kept channels have the same points with and without the others", async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer(), async (seed) => {
      const [all, some] = [await play(seed, undefined), await play(seed, () => DROPPING)];
      expect(some.points).toEqual(all.points);
      expect(some.points.length).toBeGreaterThan(0);
      expect(some.values).toBe(all.values / 2);
    }),
    { numRuns: runs(60) },
  );
});
