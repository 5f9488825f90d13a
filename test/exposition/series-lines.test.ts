import { beforeEach, expect, test } from "vitest";
import { LineBuffer } from "../../src/exposition/line-buffer.ts";
import { SeriesLines, writeSeries } from "../../src/exposition/series-lines.ts";
import { serverRecorder } from "../../src/telemetry/recorders.ts";
import { type InstrumentState, type NumberSeries, readInstrument } from "../../src/telemetry/recording.ts";
import { emptyMetrics } from "../support/exporter-metrics.ts";

const NO_TURNS = { step: () => undefined };

let lines: SeriesLines;
let labelReads: number;
let changes: number;

beforeEach(() => {
  lines = new SeriesLines("prtg_exporter_things", new LineBuffer());
  labelReads = 0;
  changes = 0;
});

function stateOf(series: InstrumentState["series"], bounds: readonly number[] = []): InstrumentState {
  return { type: bounds.length > 0 ? "histogram" : "gauge", series, bounds, changes: ++changes };
}

const render = (series: InstrumentState["series"], bounds?: readonly number[]) =>
  lines.render(stateOf(series, bounds), NO_TURNS);

const text = async (...state: Parameters<typeof render>) => (await render(...state)).toString();

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
  expect(await text(numbers({ a: 1, "b\n": 2, é: 3 }))).toBe(
    'prtg_exporter_things{server="a"} 1\nprtg_exporter_things{server="b\\n"} 2\nprtg_exporter_things{server="é"} 3\n',
  );
  expect(await text(numbers({ a: 1, "b\n": 30, é: 4 }))).toBe(
    'prtg_exporter_things{server="a"} 1\nprtg_exporter_things{server="b\\n"} 30\nprtg_exporter_things{server="é"} 4\n',
  );
  expect(await text(numbers({ a: Number.NaN }))).toBe('prtg_exporter_things{server="a"} NaN\n');
  expect(await text({})).toBe("");
});

test("looks at labels once for as long as the series is there", async () => {
  await render(numbers({ a: 1, b: 2 }));
  const reads = labelReads;
  expect(reads).toBeGreaterThan(0);
  expect(await text(numbers({ a: 1, b: 5 }))).toContain('{server="b"} 5\n');
  expect(labelReads).toBe(reads);
  await render({});
  expect(await text(numbers({ b: 6 }))).toBe('prtg_exporter_things{server="b"} 6\n');
  expect(labelReads).toBeGreaterThan(reads);
});

test("is the same buffer for as long as each line is what it was, where it was", async () => {
  const empty = await render({});
  expect(await render({})).toBe(empty);
  const first = await render(numbers({ a: 1, b: 2 }));
  expect(await render(numbers({ a: 1, b: 2 }))).toBe(first);
  const others = [{ a: 1, b: 3 }, { b: 3, a: 1 }, { b: 3, a: 1, c: 1 }, { b: 3, a: 1 }, { a: 1 }, {}];
  let before = first;
  for (const values of others) {
    const page = await render(numbers(values));
    expect(page, JSON.stringify(values)).not.toBe(before);
    expect(
      page
        .toString()
        .match(/"(\w+)/g)
        ?.join() ?? "",
      JSON.stringify(values),
    ).toBe(
      Object.keys(values)
        .map((server) => `"${server}`)
        .join(),
    );
    before = page;
  }
  // Readers may still be sent it.
  expect(first.toString()).toBe('prtg_exporter_things{server="a"} 1\nprtg_exporter_things{server="b"} 2\n');
});

test("looks at no series where nothing was recorded", async () => {
  let looks = 0;
  const ownKeys = (target: object) => {
    looks++;
    return Reflect.ownKeys(target);
  };
  const state = stateOf(new Proxy<Record<string, NumberSeries>>(numbers({ a: 1 }), { ownKeys }));
  const page = await lines.render(state, NO_TURNS);
  expect(looks).toBeGreaterThan(0);
  looks = 0;
  expect(await lines.render(state, NO_TURNS)).toBe(page);
  expect(looks).toBe(0);
  await lines.render({ ...state, changes: ++changes }, NO_TURNS);
  expect(looks).toBeGreaterThan(0);
});

const histogram = (bucketValues: Record<string, number>, sum: number, count: number) => ({
  a: { labels: { server: "a" }, bucketValues, sum, count },
});

function histogramPage(...values: number[]): string {
  return ['bucket{le="0.5",', 'bucket{le="1",', 'bucket{le="+Inf",', "sum{", "count{"]
    .map((part, at) => `prtg_exporter_things_${part}server="a"} ${values[at]}\n`)
    .join("");
}

test("adds up the buckets of a histogram", async () => {
  expect(await text(histogram({ "0.5": 2, "1": 1 }, 7.5, 4), [0.5, 1])).toBe(histogramPage(2, 3, 4, 7.5, 4));
  const series = histogram({ "0.5": 2, "1": 1 }, 9.5, 5);
  expect(await text(series, [0.5, 1])).toBe(histogramPage(2, 3, 5, 9.5, 5));
  expect(await render(series, [0.5, 1])).toBe(await render(series, [0.5, 1]));
});

test("shows the buckets of a histogram that began anew, though it has as many observations and their sum", async () => {
  expect(await text(histogram({ "0.5": 2 }, 1.5, 3), [0.5, 1])).toBe(histogramPage(2, 2, 3, 1.5, 3));
  expect(await text(histogram({ "0.5": 0, "1": 3 }, 1.5, 3), [0.5, 1])).toBe(histogramPage(0, 3, 3, 1.5, 3));
});

test("leaves out a series that goes while others are rendered", async () => {
  const series = numbers({ a: 1, b: 2, c: 3 });
  let steps = 0;
  const step = async () => {
    steps++;
    if (steps === 2) Reflect.deleteProperty(series, "b");
  };
  const page = await lines.render(stateOf(series), { step });
  expect(page.toString()).toBe('prtg_exporter_things{server="a"} 1\nprtg_exporter_things{server="c"} 3\n');
});

test("shows what changes while others are rendered the next time", async () => {
  const metrics = emptyMetrics();
  const [a, b] = [serverRecorder(metrics, "a"), serverRecorder(metrics, "b")];
  const read = () => {
    const state = readInstrument(metrics.registry.getSingleMetric("prtg_up"));
    if (state === undefined) throw new Error("prtg_up cannot be read");
    return state;
  };
  let steps = 0;
  const step = async () => {
    steps++;
    if (steps === 2) for (const server of [a, b]) server.up(true);
  };
  const up = new SeriesLines("prtg_up", new LineBuffer());
  expect((await up.render(read(), { step })).toString()).toBe('prtg_up{server="a"} 0\nprtg_up{server="b"} 1\n');
  expect((await up.render(read(), NO_TURNS)).toString()).toBe('prtg_up{server="a"} 1\nprtg_up{server="b"} 1\n');
});

test("has lines where they belong after a rendering that failed", async () => {
  const first = numbers({ a: 1, b: 2 });
  await render(first);
  const failing = () => {
    let steps = 0;
    return { step: () => (++steps === 1 ? undefined : Promise.reject(new Error("out of memory"))) };
  };
  await expect(lines.render(stateOf(numbers({ a: 100, b: 2 })), failing())).rejects.toThrow("out of memory");
  expect(await text(numbers({ a: 100, b: 2 }))).toBe(
    'prtg_exporter_things{server="a"} 100\nprtg_exporter_things{server="b"} 2\n',
  );
  await expect(lines.render(stateOf(numbers({ a: 1, b: 2 })), failing())).rejects.toThrow("out of memory");
  expect(await text({})).toBe("");
});

test("writes series once behind what is there", async () => {
  const buffer = new LineBuffer();
  buffer.text("# TYPE prtg_exporter_things gauge\n");
  await writeSeries("prtg_exporter_things", stateOf(numbers({ a: 1, b: 2 })), buffer, NO_TURNS);
  expect(buffer.take().toString()).toBe(
    '# TYPE prtg_exporter_things gauge\nprtg_exporter_things{server="a"} 1\nprtg_exporter_things{server="b"} 2\n',
  );
});
