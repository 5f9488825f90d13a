import fc from "fast-check";
import { expect, test } from "vitest";
import type { EventRecord } from "../../src/events/event.ts";
import { STATUS_TOKENS, type StatusToken } from "../../src/prtg/status.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { runs } from "../support/runs.ts";
import { emptyDisk, receiver, startEventRun } from "./support/event-run.ts";
import { wholePoll } from "./support/monitored-site.ts";

const SENSORS = ["50", "51", "52"];

type Step =
  | { readonly kind: "poll"; readonly statuses: readonly StatusToken[] }
  | { readonly kind: "wait"; readonly ms: number }
  | { readonly kind: "out" | "back" | "partly" | "full" | "space" | "kill" | "restart" };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("poll" as const),
      statuses: fc.array(fc.constantFrom(...STATUS_TOKENS), { minLength: 3, maxLength: 3 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant("wait" as const), ms: fc.constantFrom(5, 15, 25, 45, 90, 70_000) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constantFrom("out", "back", "partly", "full", "space", "kill", "restart") }),
  },
);

const describeEvent = ({ attributes }: EventRecord) =>
  `${attributes["prtg.sensor.id"]}:${attributes["prtg.status.old"]}>${attributes["prtg.status.new"]}`;

/** Received events, and changes in applied polls. */
async function live(steps: readonly Step[]) {
  const clock = new ManualClock();
  const disk = emptyDisk();
  const target = receiver();
  const expected: string[] = [];
  let process = await startEventRun(clock, disk, target);
  let kills = 0;
  /** Code that yields to the event loop has no sleeper. */
  const pass = async (ms: number) => {
    for (let part = 0; part < 20; part++) await clock.advance(ms / 20);
  };
  const stop = async () => {
    let isOver = false;
    const stopped = process.events.stop(5_000).then(() => {
      isOver = true;
    });
    while (!isOver) await clock.advance(1_000);
    await stopped;
  };
  let shown: readonly { readonly id: string; readonly status: StatusToken; readonly statusSince: number }[] = [];
  /** Polls are seconds apart: each is on disk before the next. */
  const poll = async () => {
    await pass(200);
    await process.poll(wholePoll(shown));
  };
  for (const one of steps) {
    if (one.kind === "poll") {
      const before = new Map(shown.map((sensor) => [sensor.id, sensor]));
      shown = SENSORS.map((id, index) => {
        const known = before.get(id);
        const status = one.statuses[index] ?? "up";
        if (known !== undefined && known.status !== status) expected.push(`${id}:${known.status}>${status}`);
        return known?.status === status ? known : { id, status, statusSince: clock.now() };
      });
      await poll();
    } else if (one.kind === "wait") await clock.advance(one.ms);
    else if (one.kind === "out") target.answer = "retry";
    else if (one.kind === "back") target.answer = "accepted";
    else if (one.kind === "partly") target.answer = "partly";
    else if (one.kind === "full") disk.isFull = true;
    else if (one.kind === "space") {
      disk.isFull = false;
      await poll();
    } else {
      // With a full disk, memory is lost with the process.
      if (disk.isFull) continue;
      if (one.kind === "restart") {
        await stop();
      } else kills++;
      process.kill();
      process = await startEventRun(clock, disk, target);
      // The server is unchanged, even if the exporter lost its notes.
      await poll();
    }
  }
  target.answer = "accepted";
  disk.isFull = false;
  await pass(300_000);
  await stop();
  return { got: target.got, expected, kills };
}

test("each change gives one event, in order, despite outages, full disks, restarts and kills", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const { got, expected, kills } = await live(steps);
      const uids = got.map(({ uid }) => uid);
      const once = got.filter(({ uid }, index) => uids.indexOf(uid) === index);
      expect(once.map(describeEvent)).toEqual(expected);
      // Only a kill between answer and note repeats events, with the same ids.
      if (kills === 0) expect(uids).toEqual(once.map(({ uid }) => uid));
    }),
    { numRuns: runs(300) },
  );
});
