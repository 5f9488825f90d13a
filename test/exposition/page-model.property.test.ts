import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { Registry } from "prom-client";
import { expect, test } from "vitest";
import { Exposition } from "../../src/exposition/exposition.ts";
import { negotiateFormat } from "../../src/exposition/negotiate.ts";
import type { Shard } from "../../src/exposition/representation.ts";
import { formatHeader, formatLabels, formatValue } from "../../src/exposition/text-format.ts";
import { type Clock, systemClock } from "../../src/lib/clock.ts";
import type { MetricFamily } from "../../src/mapping/families/family.ts";
import type { SeriesTable } from "../../src/store/series-table.ts";
import { SERVER_WIDE, type ShardKey, shardKeyOf } from "../../src/store/shard-key.ts";
import { Store } from "../../src/store/store.ts";

const FAMILIES: readonly MetricFamily[] = [
  { name: "first", type: "gauge", help: "", labels: ["a", "b"] },
  { name: "second_seconds", type: "gauge", help: "x", labels: ["a"] },
];
const OWNERS: readonly ShardKey[] = [SERVER_WIDE, ...["40", "41", "42", "43", "44"].map((id) => shardKeyOf("hq", id))];
const TEXT = negotiateFormat({});
const OPENMETRICS = negotiateFormat({ accept: "application/openmetrics-text;version=1.0.0" });

const table = fc.nat({ max: FAMILIES.length - 1 });
const series = fc.nat({ max: 40 });
const name = fc.constantFrom("", "x", 'quo"te', "back\\slash", "line\nfeed", "Küche 🧊", "\ud800");
const shardKey = fc.constantFrom(...OWNERS);
const value = fc.oneof(fc.integer({ min: -2, max: 3 }), fc.double());

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("add" as const), table, name, shardKey }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant("set" as const), table, series, value, life: fc.nat(3) }) },
  fc.record({ do: fc.constant("relabel" as const), table, series, name, shardKey }),
  fc.record({ do: fc.constant("withdraw" as const), table, series }),
  fc.record({ do: fc.constant("remove" as const), table, series }),
  fc.record({ do: fc.constant("expire" as const) }),
  fc.record({ do: fc.constant("look" as const) }),
);

interface ModelSeries {
  readonly slot: number;
  labels: readonly string[];
  shardKey: ShardKey;
  value: number | undefined;
  until: number;
}

class Model {
  readonly families = FAMILIES.map((): ModelSeries[] => []);

  page(takes: (shardKey: ShardKey) => boolean = () => true): string {
    const parts = FAMILIES.map((family, index) => {
      const lines = this.lines(index, takes);
      return lines.length === 0 ? [] : [formatHeader("text", family), ...lines];
    });
    return parts.flat().join("");
  }

  lines(index: number, takes: (shardKey: ShardKey) => boolean): string[] {
    const { name: family = "", labels: names = [] } = FAMILIES[index] ?? {};
    return (this.families[index] ?? [])
      .filter((one) => one.value !== undefined && takes(one.shardKey))
      .sort((a, b) => a.slot - b.slot)
      .map((one) => `${family}${formatLabels(names, one.labels)} ${formatValue(one.value ?? 0)}\n`);
  }
}

function setUp(clock: Clock = systemClock) {
  const store = new Store(FAMILIES);
  const exposition = new Exposition({ store, registry: new Registry(), clock, observer: { rendered() {} } });
  const tables = [...store.tables];
  return { store, exposition, tables };
}

async function text(exposition: Exposition, part?: Shard): Promise<string> {
  return Buffer.concat(await exposition.page(TEXT, "identity", part)).toString();
}

async function unzipped(exposition: Exposition, part?: Shard): Promise<string> {
  return gunzipSync(Buffer.concat(await exposition.page(TEXT, "gzip", part))).toString();
}

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

function apply(one: Step, model: Model, tables: readonly SeriesTable[], now: number): void {
  if (one.do === "look") return;
  if (one.do === "expire") {
    for (const each of tables) each.expire(now);
    for (const each of model.families.flat()) if (each.until <= now) each.value = undefined;
    return;
  }
  const known = model.families[one.table] ?? [];
  const own = tables[one.table];
  if (own === undefined) return;
  if (one.do === "add") {
    const labels = own.family.labels.map((label) => `${label} ${one.name}`);
    const slot = own.add(labels, one.shardKey);
    known.push({ slot, labels, shardKey: one.shardKey, value: undefined, until: Number.POSITIVE_INFINITY });
    return;
  }
  const each = known[one.series % Math.max(known.length, 1)];
  if (each === undefined) return;
  if (one.do === "set") {
    const until = one.life === 0 ? Number.POSITIVE_INFINITY : now + one.life;
    own.set(each.slot, one.value, until);
    each.value = one.value;
    each.until = until;
  } else if (one.do === "relabel") {
    const labels = own.family.labels.map((label) => `${one.name} ${label}`);
    own.relabel(each.slot, labels, one.shardKey);
    each.labels = labels;
    each.shardKey = one.shardKey;
  } else if (one.do === "withdraw") {
    own.withdraw(each.slot);
    each.value = undefined;
  } else {
    own.remove(each.slot);
    known.splice(known.indexOf(each), 1);
  }
}

test("the page matches a model without caches after any operations", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 120 }), async (steps) => {
      const { store, exposition, tables } = setUp();
      const model = new Model();
      let now = 0;
      for (const one of [...steps, { do: "look" } as const]) {
        if (one.do === "expire") now++;
        await store.commit(() => apply(one, model, tables, now));
        if (one.do !== "look") continue;
        await exposition.refresh();
        expect(await text(exposition)).toBe(model.page());
        expect(await unzipped(exposition)).toBe(model.page());
      }
    }),
    { numRuns: 60 },
  );
});

test("the parts of a page are disjoint and complete in every form", async () => {
  const count = fc.integer({ min: 1, max: 5 });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), fc.array(step, { maxLength: 20 }), count, async (...given) => {
      const [before, after, parts] = given;
      const { store, exposition, tables } = setUp();
      const model = new Model();
      for (const steps of [before, after]) {
        await store.commit(() => {
          for (const one of steps) apply(one, model, tables, 0);
        });
        await exposition.refresh();
        const all: string[] = [];
        for (let index = 0; index < parts; index++) {
          const part = { index, count: parts };
          const page = await text(exposition, part);
          const takes = (one: ShardKey) => (one === SERVER_WIDE ? index === 0 : one % parts === index);
          expect(page).toBe(model.page(takes));
          expect(await unzipped(exposition, part)).toBe(page);
          const last = Buffer.concat(await exposition.page(OPENMETRICS, "identity", part)).toString();
          expect(last.endsWith("# EOF\n")).toBe(true);
          all.push(...samples(page));
        }
        expect(all.sort()).toEqual(samples(model.page()).sort());
      }
    }),
    { numRuns: 40 },
  );
});

test("the page stays within its limits by dropping whole devices in a fixed order", async () => {
  const maxSeries = fc.integer({ min: 1, max: 30 });
  const additions = fc.array(fc.record({ table, shardKey, id: fc.nat(1_000) }), { maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(additions, maxSeries, fc.boolean(), async (added, limit, byBytes) => {
      const pages: string[] = [];
      for (const order of [added, added.toReversed()]) {
        const { store, exposition, tables } = setUp();
        const shardKeys = new Map<string, ShardKey>();
        await store.commit(() => {
          for (const one of order) {
            const own = tables[one.table];
            const labels = own?.family.labels.map(() => `${one.id} of ${one.shardKey}`) ?? [];
            shardKeys.set(labels[0] ?? "", one.shardKey);
            own?.set(own.add(labels, one.shardKey), 1);
          }
        });
        exposition.limit(
          byBytes ? { maxSeries: undefined, maxBytes: limit * 50 } : { maxSeries: limit, maxBytes: undefined },
        );
        const page = await text(exposition);
        pages.push(samples(page).sort().join("\n"));
        const kept = samples(page).map((line) => shardKeys.get(/a="([^"]*)"/.exec(line)?.[1] ?? "") ?? SERVER_WIDE);
        const highest = Math.max(SERVER_WIDE, ...kept);
        const within = order.filter((one) => one.shardKey <= highest);
        expect(kept).toHaveLength(within.length);
        const isWhole = within.length === order.length;
        const devices = kept.filter((one) => one !== SERVER_WIDE);
        if (!byBytes && devices.length > 0) expect(kept.length).toBeLessThanOrEqual(limit);
        if (byBytes && devices.length > 0) expect(Buffer.byteLength(page)).toBeLessThanOrEqual(limit * 50);
        if (!isWhole && !byBytes) expect(order.length).toBeGreaterThan(limit);
      }
      expect(pages[0]).toBe(pages[1]);
    }),
    { numRuns: 60 },
  );
});

function samples(page: string): string[] {
  return page.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
}
