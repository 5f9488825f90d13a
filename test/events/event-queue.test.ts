import { expect, test } from "vitest";
import { EventQueue, sizeOf } from "../../src/events/event-queue.ts";
import { buildEvent } from "./support/build-event.ts";

const event = (body: string) =>
  buildEvent({ body, attributes: { "prtg.object.tags": ["ab"], "prtg.object.name": "name" } });

const events = (...bodies: readonly string[]) => bodies.map(event);
const BOUNDS = { maxEvents: 4, maxSize: 100_000 };
const seqs = (queue: EventQueue, output: string, until = 99, max = 99, size = 1e9) =>
  queue.take(output, until, max, size).map(({ seq }) => seq);

test("each output reads in order at its speed, and the queue drops events that all accepted", () => {
  const queue = new EventQueue(BOUNDS);
  queue.attach(["file", "otlp"]);
  expect(queue.add(events("a", "b", "c"))).toBe(1);
  expect(seqs(queue, "file")).toEqual([1, 2, 3]);
  queue.settle("file", 2);
  expect([queue.pending("file"), queue.pending("otlp"), queue.events.length]).toEqual([1, 3, 3]);
  queue.settle("otlp", 1);
  expect([seqs(queue, "file"), seqs(queue, "otlp")]).toEqual([[3], [2, 3]]);
  expect(queue.events.map(({ seq }) => seq)).toEqual([2, 3]);
  queue.settle("otlp", 3);
  queue.settle("file", 3);
  expect([queue.events, queue.next, queue.pending("file")]).toEqual([[], 4, 0]);
});

test("a batch has limits of number and size, and only events on the disk", () => {
  const queue = new EventQueue(BOUNDS);
  queue.attach(["file"]);
  queue.add(events("a", "b", "c"));
  const size = sizeOf(event("a"));
  expect(seqs(queue, "file", 2)).toEqual([1, 2]);
  expect(seqs(queue, "file", 9, 1)).toEqual([1]);
  expect(seqs(queue, "file", 9, 9, 2 * size)).toEqual([1, 2]);
  expect(seqs(queue, "file", 9, 9, 1)).toEqual([1]);
});

test("a new output gets later events, and a removed one blocks nothing", () => {
  const queue = new EventQueue(BOUNDS);
  queue.attach(["otlp"]);
  queue.add(events("a", "b"));
  queue.attach(["otlp", "file"]);
  queue.add(events("c"));
  expect([seqs(queue, "otlp"), seqs(queue, "file")]).toEqual([[1, 2, 3], [3]]);
  queue.attach(["file"]);
  expect(queue.events.map(({ seq }) => seq)).toEqual([3]);
  queue.settle("otlp", 3);
  expect([...queue.settled]).toEqual([["file", 2]]);
  queue.attach([]);
  expect(queue.events).toEqual([]);
});

test("the queue continues with the events of an earlier process", () => {
  const before = [2, 3].map((seq) => ({ seq, event: event(String(seq)) }));
  const queue = new EventQueue(BOUNDS, before, 2);
  queue.attach(["file", "otlp"], new Map([["file", 2]]));
  expect([seqs(queue, "file"), seqs(queue, "otlp"), queue.next]).toEqual([[3], [], 4]);
});

test("the queue has limits of number and size", () => {
  const size = sizeOf(event("a"));
  const queue = new EventQueue({ maxEvents: 2, maxSize: 2 * size + 10 });
  queue.attach(["file"]);
  const room = (...asked: readonly (readonly [number, number])[]) => asked.map((each) => queue.hasRoom(...each));
  expect(room([2, 2 * size + 10], [3, size], [1, 2 * size + 11])).toEqual([true, false, false]);
  queue.add(events("a"));
  expect(room([1, size + 10], [2, size], [1, size + 11])).toEqual([true, false, false]);
  queue.settle("file", 1);
  expect(room([2, 2 * size])).toEqual([true]);
});

test("the counted size is close to that of the JSON", () => {
  const one = event("x".repeat(500));
  expect(sizeOf(one)).toBeGreaterThan(JSON.stringify(one).length);
});
