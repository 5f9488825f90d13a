import { setTimeout as sleep } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { Registry } from "prom-client";
import { expect, test } from "vitest";
import { Exposition } from "../../src/exposition/exposition.ts";
import { negotiateFormat } from "../../src/exposition/negotiate.ts";
import { systemClock } from "../../src/lib/clock.ts";
import type { MetricFamily } from "../../src/mapping/families/family.ts";
import { BLOCK_SIZE } from "../../src/store/series-block.ts";
import { shardKeyOf } from "../../src/store/shard-key.ts";
import { Store } from "../../src/store/store.ts";

const FAMILY: MetricFamily = { name: "value", type: "gauge", help: "", labels: ["id", "path"] };
const SERIES = 4 * BLOCK_SIZE + 100;
/** Maximum path length: short lines are copied. */
const PADDING = "x".repeat(300);
const FORMATS = [negotiateFormat({}), negotiateFormat({ accept: "application/openmetrics-text;version=1.0.0" })];
/** Made from an uncompressed page. */
const DOTS = negotiateFormat({ accept: "text/plain;version=1.0.0;escaping=dots" });
const PARTS = 3;

/** `identity`: uncompressed reads of ten pages. */
const action = (identity: number) =>
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ do: fc.constant("commit" as const), later: fc.nat(4) }) },
    {
      weight: 5,
      arbitrary: fc.record({
        do: fc.constant("read" as const),
        // Mostly the same formats, so that repeated requests find them ready.
        format: fc.oneof(
          { weight: 4, arbitrary: fc.constant(FORMATS[0]) },
          fc.constantFrom(...FORMATS, ...(identity > 0 ? [DOTS] : [])),
        ),
        encoding: fc.nat(9).map((number) => (number < identity ? ("identity" as const) : ("gzip" as const))),
        part: fc.option(fc.nat(PARTS - 1), { nil: undefined }),
        pause: fc.nat(10),
        later: fc.nat(4),
      }),
    },
    fc.record({
      do: fc.constant("limit" as const),
      maxSeries: fc.constantFrom(undefined, 4 * SERIES, 5 * SERIES),
      later: fc.nat(4),
    }),
  );

const TITLE = "every reader gets a complete page of one moment during replacements: %i in 10 uncompressed";

test.each([0, 1, 5])(TITLE, { timeout: 120_000 }, async (identity) => {
  await fc.assert(
    fc.asyncProperty(fc.array(action(identity), { minLength: 10, maxLength: 60 }), async (actions) => {
      const store = new Store([FAMILY]);
      const table = store.table(FAMILY);
      const exposition = new Exposition({
        ...{ store, registry: new Registry(), clock: systemClock },
        observer: { rendered() {} },
      });
      let generation = 0;
      const commit = () =>
        store.commit(() => {
          generation++;
          for (let slot = 0; slot < SERIES; slot++) table.set(slot, generation);
        });
      for (let id = 0; id < SERIES; id++) table.add([String(id), PADDING], shardKeyOf("hq", String(id)));
      await commit();
      exposition.start();
      const pages: Promise<readonly string[]>[] = [];
      for (const each of actions) {
        if (each.do === "commit") void commit();
        else if (each.do === "limit") exposition.limit({ maxSeries: each.maxSeries, maxBytes: undefined });
        else pages.push(read(exposition, each));
        await sleep(each.later);
      }
      for (const values of await Promise.all(pages)) expect(new Set(values).size).toBe(1);
      await exposition.refresh();
      expect(new Set(await read(exposition, { format: FORMATS[0], encoding: "identity" }))).toEqual(
        new Set([String(generation)]),
      );
      exposition.stop();
    }),
    { numRuns: 15 },
  );
});

interface Reading {
  readonly format: (typeof FORMATS)[number] | undefined;
  readonly encoding: "gzip" | "identity";
  readonly part?: number | undefined;
  /** Milliseconds between two pieces. */
  readonly pause?: number | undefined;
}

/** Values on the page at the time of the last byte. */
async function read(
  exposition: Exposition,
  { format, encoding, part, pause = 0 }: Reading,
): Promise<readonly string[]> {
  const shard = part === undefined ? undefined : { index: part, count: PARTS };
  const { beginning, end } = await exposition.streamedPage(format ?? negotiateFormat({}), encoding, shard);
  const buffers: Buffer[] = [];
  for await (const buffer of beginning) {
    buffers.push(buffer);
    await sleep(pause);
  }
  const body = Buffer.concat([...buffers, ...(await end())]);
  const text = (encoding === "gzip" ? gunzipSync(body) : body).toString();
  const lines = text.split("\n").filter((line) => line.startsWith("value{"));
  const ids = new Set(lines.map((line) => /^value\{id="(\d+)",path="x{300}"\} \d+$/.exec(line)?.[1]));
  expect(ids).not.toContain(undefined);
  expect(ids.size).toBe(lines.length);
  if (part === undefined) expect(lines).toHaveLength(SERIES);
  else expect(lines.length).toBeGreaterThan(SERIES / PARTS / 2);
  return lines.map((line) => line.slice(line.indexOf(" ") + 1));
}
