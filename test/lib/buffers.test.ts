import { expect, test } from "vitest";
import { detach } from "../../src/lib/buffers.ts";

test("freeing affects only private memory", () => {
  const own = Buffer.allocUnsafeSlow(10);
  const numbers = new Int32Array(10);
  const shared = Buffer.from("shared with others");
  for (const each of [own, numbers, shared, own]) detach(each);
  expect([own.length, numbers.length]).toEqual([0, 0]);
  expect(String(shared)).toBe("shared with others");
});
