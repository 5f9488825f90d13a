import fc from "fast-check";
import { expect, test } from "vitest";
import { parseShard, serversOnShard, shardOf } from "../../src/config/shard.ts";
import { describeError } from "../../src/errors/exporter-error.ts";

const names = fc.uniqueArray(fc.string({ unit: "grapheme", maxLength: 20 }), { maxLength: 40 });
const counts = fc.integer({ min: 1, max: 12 });

test.each([
  ["0/1", { index: 0, count: 1 }],
  ["2/3", { index: 2, count: 3 }],
  ["999/1000", { index: 999, count: 1_000 }],
])("the parser accepts the shard %s", (text, shard) => {
  expect(parseShard(text)).toEqual(shard);
});

test.each([
  ["3/3", "There is no shard 3/3: shards go from 0/3 to 2/3."],
  ["1/1", "There is no shard 1/1: the only shard is 0/1."],
  ["0/0", '"0/0" is not a shard such as 0/3.'],
  ["0/1001", '"0/1001" is not a shard such as 0/3.'],
  ["-1/3", '"-1/3" is not a shard such as 0/3.'],
  // Kubernetes before 1.28, for a missing label.
  ["/3", '"/3" is not a shard such as 0/3.'],
  ["1", '"1" is not a shard such as 0/3.'],
  ["1/3/5", '"1/3/5" is not a shard such as 0/3.'],
  ["0x1/3", '"0x1/3" is not a shard such as 0/3.'],
  ["", '"" is not a shard such as 0/3.'],
])("the parser rejects %j", (text, message) => {
  const error: unknown = (() => {
    try {
      return parseShard(text);
    } catch (thrown) {
      return thrown;
    }
  })();
  expect(error).toMatchObject({ code: "SHARD_INVALID", message });
  expect(describeError(error)).toContain("Use i/n");
});

test("each server belongs to exactly one shard, in the order of the configuration", () => {
  fc.assert(
    fc.property(names, counts, (all, count) => {
      const servers = all.map((name) => ({ name }));
      const shards = Array.from({ length: count }, (_, index) => serversOnShard(servers, { index, count }));
      expect(shards.flat().toSorted(byName)).toEqual(servers.toSorted(byName));
      for (const shard of shards) expect(shard).toEqual(servers.filter((server) => shard.includes(server)));
    }),
  );
});

test("an additional shard moves servers only to itself", () => {
  fc.assert(
    fc.property(names, counts, (all, count) => {
      for (const name of all) expect([shardOf(name, count), count]).toContain(shardOf(name, count + 1));
    }),
  );
});

test("the shard of a server does not depend on other servers", () => {
  fc.assert(
    fc.property(names, counts, fc.nat(), (all, count, seed) => {
      const shard = { index: seed % count, count };
      const some = all.filter((_, index) => index % 2 === 0).map((name) => ({ name }));
      const whole = serversOnShard(
        all.map((name) => ({ name })),
        shard,
      ).map(({ name }) => name);
      for (const { name } of serversOnShard(some, shard)) expect(whole).toContain(name);
    }),
  );
});

test("shards have about the same number of servers", () => {
  const servers = Array.from({ length: 2_000 }, (_, server) => ({ name: `site-${server}` }));
  for (let index = 0; index < 4; index++) {
    // Four standard deviations.
    expect(Math.abs(serversOnShard(servers, { index, count: 4 }).length - 500)).toBeLessThan(78);
  }
});

/** During a rollout, two replicas or none would read them. */
test("servers keep their shard between releases", () => {
  expect(["hq", "berlin", "tokyo", "Zürich", "10.0.0.1"].map((name) => shardOf(name, 5))).toEqual([0, 4, 4, 3, 3]);
});

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : 1;
}
