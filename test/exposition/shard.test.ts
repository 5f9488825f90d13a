import { expect, test } from "vitest";
import { isInShard, parseShard } from "../../src/exposition/representation.ts";
import { SERVER_WIDE, shardKeyOf } from "../../src/store/shard-key.ts";

test.each([
  ["0/1", { index: 0, count: 1 }],
  ["2/5", { index: 2, count: 5 }],
  ["99/100", { index: 99, count: 100 }],
])("reads %s", (text, part) => {
  expect(parseShard(text)).toEqual(part);
});

test.each([
  "",
  "1",
  "1/",
  "/2",
  "2/2",
  "0/0",
  "-1/2",
  "1/101",
  "1.5/3",
  "a/b",
  "1/2/3",
  " 0/2",
  "0x1/2",
  "1e1/20",
  "١/٢",
])("rejects %j", (text) => {
  expect(parseShard(text)).toBeUndefined();
});

test("spreads devices evenly and keeps series of a server in the first part", () => {
  const counts = [0, 0, 0, 0, 0, 0, 0];
  for (let id = 2_000; id < 9_000; id++) {
    const index = counts.findIndex((_, part) =>
      isInShard({ index: part, count: counts.length }, shardKeyOf("hq", String(id))),
    );
    counts[index] = (counts[index] ?? 0) + 1;
  }
  for (const count of counts) expect(Math.abs(count - 1_000)).toBeLessThan(150);
  expect(isInShard({ index: 0, count: 3 }, SERVER_WIDE)).toBe(true);
  expect(isInShard({ index: 1, count: 3 }, SERVER_WIDE)).toBe(false);
});

test("keeps the key of a device between processes", () => {
  expect([shardKeyOf("hq", "40"), shardKeyOf("lab", "40"), shardKeyOf("h", "q40")]).toEqual([
    1455696581, 2369407466, 3119945171,
  ]);
});
