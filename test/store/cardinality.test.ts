import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { MetricFamily } from "../../src/mapping/families/family.ts";
import { countCardinality } from "../../src/store/cardinality.ts";
import { Store } from "../../src/store/store.ts";

function family(name: string, labels: readonly string[]): MetricFamily {
  return { name, type: "gauge", help: name, labels: ["server", ...labels] };
}

const VALUE = family("value", ["sensor_id", "channel_id", "path"]);
const NODE = family("node", ["id", "path"]);
const SERVER = family("server", ["version"]);
const unsliced = { step: () => undefined };
const PROBES: Readonly<Record<string, string>> = { "1": "Berlin", "50": "Berlin", "51": "Wien" };
const probeOf = (server: string, id: string) => (server === "hq" ? PROBES[id] : undefined);

async function filled(): Promise<Store> {
  const store = new Store([VALUE, NODE, SERVER]);
  await store.commit(() => {
    for (const [labels, value] of [
      [["hq", "50", "0", "a"], 1],
      [["hq", "50", "1", "a"], 2],
      [["hq", "51", "0", "b"], 3],
      [["dc", "50", "0", ""], 4],
    ] as const) {
      const table = store.table(VALUE);
      table.set(table.add(labels), value, value === 3 ? 1_000 : undefined);
    }
    const nodes = store.table(NODE);
    nodes.set(nodes.add(["hq", "1", "a"]), 1);
    // Known without a value.
    nodes.add(["hq", "2", "c"]);
    const servers = store.table(SERVER);
    servers.set(servers.add(["hq", "25"]), 1);
  });
  return store;
}

describe("countCardinality", () => {
  test("counts series with values by family, probe and label", async () => {
    expect(await countCardinality(await filled(), { probeOf, top: 2, slices: unsliced })).toEqual({
      series: 6,
      families: [
        { name: "value", series: 4 },
        { name: "node", series: 1 },
        { name: "server", series: 1 },
      ],
      probes: [
        { server: "hq", name: "Berlin", series: 3 },
        { server: "hq", name: "Wien", series: 1 },
      ],
      withoutProbe: 2,
      labels: [
        { label: "server", distinct: 2, series: 6, top: [counted("hq", 5), counted("dc", 1)] },
        { label: "sensor_id", distinct: 2, series: 4, top: [counted("50", 3), counted("51", 1)] },
        { label: "channel_id", distinct: 2, series: 4, top: [counted("0", 3), counted("1", 1)] },
        { label: "path", distinct: 2, series: 4, top: [counted("a", 3), counted("b", 1)] },
        { label: "id", distinct: 1, series: 1, top: [counted("1", 1)] },
        { label: "version", distinct: 1, series: 1, top: [counted("25", 1)] },
      ],
    });
  });

  test("sorts families, probes and labels by their counts", async () => {
    const store = new Store([SERVER, NODE]);
    await store.commit(() => {
      const [servers, nodes] = [store.table(SERVER), store.table(NODE)];
      servers.set(servers.add(["hq", "25"]), 1);
      for (const id of ["51", "1", "50"]) nodes.set(nodes.add(["hq", id, "a"]), 1);
    });
    const { families, probes, labels } = await countCardinality(store, { probeOf, top: 1, slices: unsliced });
    expect(families).toEqual([counted("node", 3), counted("server", 1)]);
    expect(probes.map(({ name, series }) => [name, series])).toEqual([
      ["Berlin", 2],
      ["Wien", 1],
    ]);
    expect(labels.map(({ label, distinct }) => [label, distinct])).toEqual([
      ["id", 3],
      ["server", 1],
      ["version", 1],
      ["path", 1],
    ]);
  });

  test("shows the most frequent values in order", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 60 }), async (values) => {
        const one = family("one", ["digit"]);
        const store = new Store([one]);
        for (const digit of values) store.table(one).set(store.table(one).add(["hq", String(digit)]), 1);
        const { labels } = await countCardinality(store, { probeOf, top: 3, slices: unsliced });
        const counts = [...Map.groupBy(values, String).values()].map(({ length }) => length).sort((a, b) => b - a);
        const digits = labels.find(({ label }) => label === "digit");
        expect(digits?.top.map(({ series }) => series) ?? []).toEqual(counts.slice(0, 3));
        expect(digits?.distinct ?? 0).toBe(counts.length);
      }),
    );
  });

  test("yields to the event loop, and to writers between families", async () => {
    const store = await filled();
    let turns = 0;
    const step = () => (++turns % 2 === 0 ? new Promise<void>((resolve) => setImmediate(resolve)) : undefined);
    const counting = countCardinality(store, { probeOf, top: 2, slices: { step } });
    let written = -1;
    await store.commit(() => {
      written = turns;
    });
    const { series } = await counting;
    expect(series).toBe(6);
    expect(written).toBeLessThan(turns);
  });
});

function counted(name: string, series: number) {
  return { name, series };
}
