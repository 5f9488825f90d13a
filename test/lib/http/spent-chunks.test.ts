import { randomBytes } from "node:crypto";
import { createGunzip, gzipSync } from "node:zlib";
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

test("memory of which parts come one after the other goes after its last part", () => {
  const [first, second] = [new ArrayBuffer(LARGE), new ArrayBuffer(LARGE)];
  const chunks = new SpentChunks();
  for (const from of [0, 100, 40_000]) {
    chunks.arrived(chunkOf(first, from, from === 40_000 ? LARGE : from + 100));
    expect(first.detached).toBe(false);
  }
  chunks.arrived(chunkOf(second));
  expect(first.detached).toBe(true);
});

test("the memory of the last chunk goes when the body has ended", () => {
  const [first, last] = [new ArrayBuffer(LARGE), new ArrayBuffer(LARGE)];
  const chunks = new SpentChunks();
  for (const memory of [first, last]) chunks.arrived(chunkOf(memory));
  chunks.ended();
  expect(last.detached).toBe(true);
  chunks.ended();
});

test("memory that was not read to its end stays: there may be more to come in it", () => {
  const [first, second] = [new ArrayBuffer(LARGE), new ArrayBuffer(LARGE)];
  const chunks = new SpentChunks();
  for (const chunk of [chunkOf(first, 0, 100), chunkOf(second, 0, 100)]) chunks.arrived(chunk);
  chunks.ended();
  expect([first.detached, second.detached]).toEqual([false, false]);
});

test("a decoder goes on writing to the memory of what it handed over", async () => {
  const text = randomBytes(30_000).toString("hex");
  const zipped = gzipSync(text);
  const decoder = createGunzip({ chunkSize: LARGE });
  const write = (from: number, to: number) =>
    new Promise<void>((resolve) => decoder.write(zipped.subarray(from, to), () => resolve()));
  const chunks = new SpentChunks();
  let unpacked = "";
  const read = () => {
    for (let chunk: unknown = decoder.read(); Buffer.isBuffer(chunk); chunk = decoder.read()) {
      chunks.arrived(chunk);
      unpacked += chunk.toString();
    }
  };
  await write(0, 4_000);
  read();
  // Two that wait: Node.js 24 gives them as one, which is a copy, and Node.js 26 one after the other.
  await write(4_000, 8_000);
  await write(8_000, 12_000);
  read();
  await write(12_000, zipped.length);
  read();
  expect(unpacked === text).toBe(true);
});

test("memory that Node.js shares among small buffers stays", () => {
  const small = Buffer.from("small");
  const neighbour = Buffer.from("neighbour");
  const chunks = new SpentChunks();
  for (const chunk of [small, chunkOf(new ArrayBuffer(LARGE)), neighbour, chunkOf(new ArrayBuffer(LARGE))]) {
    chunks.arrived(chunk);
  }
  chunks.arrived(small);
  chunks.ended();
  expect([small.toString(), neighbour.toString()]).toEqual(["small", "neighbour"]);
});
