import { expect, test } from "vitest";
import { SpentChunks } from "../../../src/lib/http/spent-chunks.ts";

const LARGE = 65_536;

/** A chunk that is a part of memory of its own, as those of sockets are. */
function chunkOf(memory: ArrayBuffer, from = 0, to = memory.byteLength): Buffer {
  return Buffer.from(memory, from, to - from);
}

test("the memory of a chunk goes when the next one comes, and not before", () => {
  const [first, second] = [new ArrayBuffer(LARGE), new ArrayBuffer(LARGE)];
  const chunks = new SpentChunks();
  chunks.arrived(chunkOf(first));
  expect(first.detached).toBe(false);
  chunks.arrived(chunkOf(second));
  expect([first.detached, second.detached]).toEqual([true, false]);
});

test("parts of the same memory come one after the other", () => {
  const [first, second] = [new ArrayBuffer(LARGE), new ArrayBuffer(LARGE)];
  const chunks = new SpentChunks();
  for (const from of [0, 100, 40_000]) {
    chunks.arrived(chunkOf(first, from, from + 100));
    expect(first.detached).toBe(false);
  }
  chunks.arrived(chunkOf(second));
  expect(first.detached).toBe(true);
});

test("memory that Node.js shares among small buffers stays", () => {
  const small = Buffer.from("small");
  const neighbour = Buffer.from("neighbour");
  const chunks = new SpentChunks();
  for (const chunk of [small, chunkOf(new ArrayBuffer(LARGE)), neighbour, chunkOf(new ArrayBuffer(LARGE))]) {
    chunks.arrived(chunk);
  }
  expect([small.toString(), neighbour.toString()]).toEqual(["small", "neighbour"]);
});
