import fc from "fast-check";
import { pino } from "pino";
import { seededRandom } from "prtg-simulator/src/random.ts";
import { expect, test } from "vitest";
import type { ChannelRecord } from "../../src/prtg/records.ts";
import { ServerClock } from "../../src/prtg/server-clock.ts";
import { never } from "../support/never-aborted.ts";
import { runs } from "../support/runs.ts";
import { faultsOf } from "./support/delivery-ledger.ts";
import { HOUR, MINUTE, measurementSetup, recordedSensor } from "./support/measurement-setup.ts";
import type { ReceivedRow } from "./support/memory-sink.ts";

const SECOND = 1_000;
const MINUTES = 40;
const PAGES = 3;

/** Rows need no value of channel 1, which rules sometimes drop. */
function withAll(row: ReceivedRow): ReceivedRow {
  return row.values.length === 1 ? { ...row, values: [...row.values, ["1", 1]] } : row;
}

/**
 * Time jumps, sometimes over a poll interval. Lists take seconds while series are read. The exporter follows the clock in
 * answers.
 * @param slowness maximum seconds for a list.
 * @param isDropped rules drop channel 1.
 */
async function play(seed: number, slowness: number, isDropped?: () => boolean): Promise<readonly string[]> {
  const random = seededRandom(seed);
  const sensors = [
    ...[recordedSensor("7", 60), recordedSensor("8", 60, { phaseSeconds: 55 })],
    ...[recordedSensor("9", 30), recordedSensor("10", 10), recordedSensor("11", 300)],
  ];
  const subject = measurementSetup(sensors, {
    requestsPerCycle: 60,
    channelsOf: () =>
      isDropped?.() === true ? { kept: ["0"], dropped: ["1", "-4"] } : { kept: ["0", "1"], dropped: ["-4"] },
  });
  const { server, clock } = subject;
  const serverClock = new ServerClock(clock, pino({ level: "silent" }));
  const hear = (): void => {
    serverClock.update(Math.floor(server.now() / SECOND) * SECOND);
    server.believedOffsetMs = serverClock.offsetMs;
  };
  const wait = (seconds: number): Promise<void> => clock.sleep(random() * seconds * SECOND);
  const process = await subject.start();
  let lists = 0;
  let stopped = false;
  let until = 0;
  const polling = async (): Promise<void> => {
    while (!stopped) {
      const cuts = Array.from({ length: PAGES - 1 }, () => random()).sort((a, b) => a - b);
      const list: ChannelRecord[] = [];
      lists++;
      for (const end of [...cuts, 1]) {
        const now = server.list();
        list.push(...now.slice(list.length, Math.round(end * now.length)));
        hear();
        await wait(slowness / PAGES);
      }
      await process.engine.onListPoll(list, (id) => server.interval(id));
      await clock.sleep(SECOND);
    }
  };
  const reading = async (): Promise<void> => {
    while (!stopped) {
      await process.engine.readDue(never);
      await clock.sleep(SECOND);
    }
  };
  const leaping = async (): Promise<void> => {
    for (let minute = 0; minute < MINUTES; minute++) {
      await wait(slowness / 2);
      server.offsetMs += MINUTE;
      const before = lists;
      while (lists === before) await clock.sleep(SECOND / 10);
    }
    until = server.now();
    await clock.sleep(5 * MINUTE);
    stopped = true;
  };
  await Promise.all([polling(), reading(), leaping(), clock.advance(HOUR)]);
  await subject.stop(process);
  const { received } = subject.receiver;
  return faultsOf(server, isDropped === undefined ? received : received.map(withAll), [], until);
}

test("every measurement arrives once, in order, for any overlap of lists, series and clock jumps", async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer(), fc.double({ min: 0.5, max: 5, noNaN: true }), async (seed, slowness) => {
      expect((await play(seed, slowness)).slice(0, 12)).toEqual([]);
    }),
    { numRuns: runs(120) },
  );
});

test("every measurement arrives once while reads omit dropped channels and rules change", async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer(), fc.double({ min: 0, max: 0.5, noNaN: true }), async (seed, changes) => {
      const random = seededRandom(seed);
      let dropped = true;
      const isDropped = (): boolean => {
        if (random() < changes) dropped = !dropped;
        return dropped;
      };
      expect((await play(seed, 3, isDropped)).slice(0, 12)).toEqual([]);
    }),
    { numRuns: runs(60) },
  );
});
