import fc from "fast-check";
import { expect, test } from "vitest";
import { inflateChunk } from "../../src/exposition/gzip.ts";
import { LineBuffer } from "../../src/exposition/line-buffer.ts";
import { type RenderedBlock, renderBlock } from "../../src/exposition/rendered-block.ts";
import type { MetricFamily } from "../../src/mapping/families/family.ts";
import { BLOCK_SIZE } from "../../src/store/series-block.ts";
import { SeriesTable } from "../../src/store/series-table.ts";
import { runs } from "../support/runs.ts";

const FAMILY: MetricFamily = { name: "value", type: "gauge", help: "", labels: ["server", "id"] };
const VALUES = [0, -0, 1, -17, 0.5, 1e21, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];

type Change = (table: SeriesTable, slots: number[]) => void;

const at = fc.nat(1_000);
const server = fc.constantFrom("hq", "branch", "Zürich");
const value = fc.constantFrom(...VALUES);
const onOne = (change: (table: SeriesTable, slot: number) => void, which: number): Change => {
  return (table, slots) => {
    const slot = slots[which % slots.length];
    if (slot !== undefined) change(table, slot);
  };
};
const change: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.tuple(at, value).map(([which, to]) => onOne((table, slot) => table.set(slot, to), which)),
  },
  at.map((which) => onOne((table, slot) => table.withdraw(slot), which)),
  fc
    .tuple(at, server, at)
    .map(([which, name, key]) => onOne((table, slot) => table.relabel(slot, [name, `moved ${slot}`], key), which)),
  fc.tuple(server, at, value).map(
    ([name, key, first]): Change =>
      (table, slots) => {
        const slot = table.add([name, String(slots.length)], key);
        table.set(slot, first);
        slots.push(slot);
      },
  ),
  at.map(
    (which): Change =>
      (table, slots) => {
        const [slot] = slots.splice(which % Math.max(1, slots.length), 1);
        if (slot !== undefined) table.remove(slot);
      },
  ),
);

function plain({ lines: compressed, starts, shardKeys, servers, serverOf, series }: RenderedBlock) {
  const bytes = inflateChunk(compressed);
  const lines = Array.from(shardKeys, (shardKey, place) => {
    const line = bytes.toString("utf8", starts[place], starts[place + 1]);
    return line === "" ? "" : { line, shardKey, server: servers[serverOf?.[place] ?? 0] };
  });
  return { lines, series, text: String(bytes) };
}

test("a block rendered from old lines equals a newly rendered one", () => {
  fc.assert(
    fc.property(fc.array(fc.array(change, { maxLength: 12 }), { minLength: 1, maxLength: 8 }), (rounds) => {
      const table = new SeriesTable(FAMILY);
      const slots: number[] = [];
      const lines = new LineBuffer();
      let before: RenderedBlock | undefined;
      for (const changes of rounds) {
        for (const each of changes) each(table, slots);
        const [block] = table.blocks;
        if (block === undefined) continue;
        before = renderBlock(table, block, before, lines);
        expect(plain(before)).toEqual(plain(renderBlock(table, block, undefined, new LineBuffer())));
      }
    }),
    { numRuns: runs(300) },
  );
});

test("rendering keeps no uncompressed lines until a garbage collection", () => {
  const table = new SeriesTable(FAMILY);
  const slots = Array.from({ length: BLOCK_SIZE }, (_, slot) => table.add(["hq", `${slot} ${"x".repeat(200)}`]));
  const lines = new LineBuffer();
  let block: RenderedBlock | undefined;
  const before = process.memoryUsage().arrayBuffers;
  for (let round = 0; round < 100; round++) {
    for (const slot of slots) table.set(slot, round);
    for (const each of table.blocks) block = renderBlock(table, each, block, lines);
  }
  expect(block?.lines.length).toBeGreaterThan(200_000);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(10_000_000);
});
