import { pino } from "pino";
import { expect, test } from "vitest";
import type { SendOutcome } from "../../src/events/event.ts";
import type { QueuedEvent } from "../../src/events/event-queue.ts";
import { EventDelivery } from "../../src/events/server-events.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { buildEvent } from "./support/build-event.ts";

const RETRY = { kind: "retry", settled: 0, rejected: 0, retryAfterMs: undefined, message: "out" } as const;
const QUEUED: QueuedEvent = { seq: 1, event: buildEvent() };

/** The sink gives these answers, then accepts. */
function looping(...answers: (SendOutcome | Error)[]) {
  const clock = new ManualClock();
  const times: number[] = [];
  const waiting = [QUEUED];
  const lines: string[] = [];
  const loop = new EventDelivery({
    output: "otlp",
    clock,
    random: () => 0,
    log: pino({}, { write: (line) => void lines.push(JSON.parse(line).msg) }),
    sink: {
      send: async () => {
        times.push(clock.monotonic());
        const answer = answers.shift() ?? { kind: "accepted", rejected: 0, message: "" };
        if (answer instanceof Error) throw answer;
        return answer;
      },
    },
    next: () => waiting,
    onSettled: async (settled) => void waiting.splice(0, settled.length),
    onFailed: () => undefined,
  });
  return { clock, loop, times, waiting, lines };
}

test("retries after longer and longer pauses, up to a minute", async () => {
  const { loop, clock, times } = looping(...Array.from({ length: 9 }, () => RETRY));
  loop.start();
  await clock.advance(600_000);
  const pauses = times.map((at, index) => at - (times[index - 1] ?? 0)).slice(1);
  expect(pauses).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
});

test("the loop respects the pause of the receiver, also at the end", async () => {
  const { loop, clock, times, waiting } = looping({ ...RETRY, retryAfterMs: 90_000 });
  loop.start();
  await clock.advance(89_000);
  expect(times).toEqual([0]);
  await loop.end(5_000);
  expect([times, waiting.length]).toEqual([[0], 1]);
});

test("an outage is a log line at its begin, at its end, and reminders in between", async () => {
  const { loop, clock, lines } = looping(...Array.from({ length: 30 }, () => RETRY));
  loop.start();
  await clock.advance(1_200_000);
  const failed = "cannot deliver events, retrying: out";
  expect(lines).toEqual([failed, failed, "events can be delivered again"]);
});

test("the end cuts the backoff short for one more attempt", async () => {
  const { loop, clock, times, waiting } = looping(RETRY);
  loop.start();
  await clock.advance(100);
  await loop.end(5_000);
  expect([times, waiting.length]).toEqual([[0, 100], 0]);
});

test("an exception of a sink counts as an outage", async () => {
  const { loop, clock, waiting } = looping(new Error("a fault"));
  loop.start();
  await clock.advance(1_000);
  expect(waiting).toEqual([]);
});

test("the loop can end before its start", async () => {
  const { loop } = looping();
  await expect(loop.end(1_000)).resolves.toBeUndefined();
});
