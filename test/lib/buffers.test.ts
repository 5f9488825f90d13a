import { expect, test } from "vitest";
import { detach, detachLast } from "../../src/lib/buffers.ts";

test("freeing affects only private memory", () => {
  const own = Buffer.allocUnsafeSlow(10);
  const numbers = new Int32Array(10);
  const shared = Buffer.from("shared with others");
  for (const each of [own, numbers, shared, own]) detach(each);
  expect([own.length, numbers.length]).toEqual([0, 0]);
  expect(String(shared)).toBe("shared with others");
});

test("a chunk frees memory only if nothing can follow it there", () => {
  const memory = Buffer.allocUnsafeSlow(10);
  const [head, body] = [memory.subarray(0, 4), memory.subarray(4)];
  detachLast(head);
  expect(head.length).toBe(4);
  detachLast(body);
  expect([head.length, body.length, memory.length]).toEqual([0, 0, 0]);
});
