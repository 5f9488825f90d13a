import { beforeEach, expect, test } from "vitest";
import { SeriesLines } from "../../src/exposition/series-lines.ts";
import type { InstrumentState, NumberSeries } from "../../src/telemetry/recording.ts";

let lines: SeriesLines;
let labelReads: number;

beforeEach(() => {
  lines = new SeriesLines("prtg_exporter_things");
  labelReads = 0;
});

const render = (series: InstrumentState["series"], bounds: readonly number[] = []) =>
  lines.render({ type: bounds.length > 0 ? "histogram" : "gauge", series, bounds }, { step: () => undefined });

function numbers(values: Readonly<Record<string, number>>): Record<string, NumberSeries> {
  const series = Object.entries(values).map(([server, value]): [string, NumberSeries] => {
    const ownKeys = (target: object) => {
      labelReads++;
      return Reflect.ownKeys(target);
    };
    const labels = new Proxy<Record<string, string>>({ server }, { ownKeys });
    return [server, { labels, value }];
  });
  return Object.fromEntries(series);
}

test("has a line for each series, with the value of now", async () => {
  expect(await render(numbers({ a: 1, "b\n": 2 }))).toBe(
    'prtg_exporter_things{server="a"} 1\nprtg_exporter_things{server="b\\n"} 2\n',
  );
  expect(await render(numbers({ a: 1, "b\n": 3 }))).toContain('{server="b\\n"} 3\n');
  expect(await render(numbers({ a: Number.NaN }))).toBe('prtg_exporter_things{server="a"} NaN\n');
  expect(await render({})).toBe("");
});

test("looks at labels once for as long as the series is there", async () => {
  await render(numbers({ a: 1, b: 2 }));
  const reads = labelReads;
  expect(reads).toBeGreaterThan(0);
  expect(await render(numbers({ a: 1, b: 5 }))).toContain('{server="b"} 5\n');
  expect(labelReads).toBe(reads);
  await render({});
  expect(await render(numbers({ b: 6 }))).toBe('prtg_exporter_things{server="b"} 6\n');
  expect(labelReads).toBeGreaterThan(reads);
});

test("adds up the buckets of a histogram", async () => {
  const series = (bucketValues: Record<string, number>, sum: number, count: number) => ({
    a: { labels: { server: "a" }, bucketValues, sum, count },
  });
  const page = (...values: number[]) =>
    ['bucket{le="0.5",', 'bucket{le="1",', 'bucket{le="+Inf",', "sum{", "count{"]
      .map((part, at) => `prtg_exporter_things_${part}server="a"} ${values[at]}\n`)
      .join("");
  expect(await render(series({ "0.5": 2, "1": 1 }, 7.5, 4), [0.5, 1])).toBe(page(2, 3, 4, 7.5, 4));
  expect(await render(series({ "0.5": 2, "1": 1 }, 9.5, 5), [0.5, 1])).toBe(page(2, 3, 5, 9.5, 5));
});

test("leaves out a series that goes while others are rendered", async () => {
  const series = numbers({ a: 1, b: 2, c: 3 });
  let steps = 0;
  const step = async () => {
    steps++;
    if (steps === 2) Reflect.deleteProperty(series, "b");
  };
  const page = await lines.render({ type: "gauge", series, bounds: [] }, { step });
  expect(page).toBe('prtg_exporter_things{server="a"} 1\nprtg_exporter_things{server="c"} 3\n');
});
