import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { chunksOf } from "../../../src/lib/http/body-chunks.ts";
import { yieldToEventLoop } from "../../../src/lib/yielding.ts";

const pieces = (count: number): Buffer[] => Array.from({ length: count }, (_, index) => Buffer.alloc(1_000, index));

test("hands on what waits chunk by chunk, not put together", async () => {
  const sent = pieces(40);
  let next = 0;
  // More at a time than is taken, as a socket has it.
  const body = new Readable({
    read() {
      for (const piece of sent.slice(next, next + 4)) this.push(piece);
      next += 4;
      if (next >= sent.length) this.push(null);
    },
    highWaterMark: 64 * 1_024,
  });
  const taken: Buffer[] = [];
  for await (const chunk of chunksOf(body)) {
    taken.push(chunk);
    await yieldToEventLoop();
  }
  expect(taken.map((chunk) => sent.indexOf(chunk))).toEqual(sent.map((_, index) => index));
});

test("lets no more than a few chunks wait", async () => {
  let read = 0;
  const body = new Readable({
    read() {
      read++;
      this.push(Buffer.alloc(1_000));
    },
    highWaterMark: 1_000,
  });
  const chunks = chunksOf(body);
  for (let taken = 1; taken <= 20; taken++) {
    await chunks.next();
    for (let turn = 0; turn < 3; turn++) await yieldToEventLoop();
    expect(read).toBeLessThan(taken + 6);
  }
  await chunks.return(undefined);
});

test("ends the stream where the loop is left, whatever it fails with then", async () => {
  const body = new Readable({
    read() {
      this.push("x");
    },
    destroy(_, done) {
      done(new Error("given up"));
    },
  });
  for await (const chunk of chunksOf(body)) {
    expect(String(chunk)).toBe("x");
    break;
  }
  await yieldToEventLoop();
  expect(body.destroyed).toBe(true);
});

test("fails as the stream does, after what came before, and also where it failed already", async () => {
  const failing = () => {
    const body = new Readable({ read: () => undefined });
    body.push("before");
    return body;
  };
  const late = failing();
  const chunks = chunksOf(late);
  expect(String((await chunks.next()).value)).toBe("before");
  late.destroy(new Error("cut off"));
  await expect(chunks.next()).rejects.toThrow("cut off");

  const early = failing();
  early.on("error", () => undefined);
  early.destroy(new Error("cut off before"));
  await yieldToEventLoop();
  await expect(chunksOf(early).next()).rejects.toThrow("cut off before");

  const closed = failing();
  const rest = chunksOf(closed);
  await rest.next();
  closed.destroy();
  await expect(rest.next()).rejects.toThrow("ended early");
});
