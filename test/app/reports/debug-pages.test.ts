import type { SimChannel, World } from "prtg-simulator/src/world/model.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { debugText } from "../../../src/http/pages/status/debug-view.ts";
import { servedValue } from "../../support/expected-series.ts";
import { CLOCK_START } from "../../support/manual-clock.ts";
import { parseSample } from "../../support/parse-sample.ts";
import { type SimulatedExporter, startSimulatedExporter, TEST_KEY } from "../../support/simulated-exporter.ts";

const SETTINGS = `mapping:
  presets: [base-units]
  rules: [{ match: { channel: Downtime }, drop: true }]
`;

interface Explained {
  readonly objects: readonly {
    readonly server: string;
    readonly sensor: Readonly<Record<string, unknown>>;
    readonly lines: readonly string[];
    readonly channels: readonly (Readonly<Record<string, unknown>> & { readonly lines: readonly string[] })[];
  }[];
}

const at = CLOCK_START;

let running: SimulatedExporter;
let world: World;
let page: string;
let evil: string;
let paused: string;

beforeAll(async () => {
  running = await startSimulatedExporter({ size: { sensors: 200 }, settings: SETTINGS });
  ({ world } = running.simulator);
  running.simulator.freezeAt(at);
  evil = measured()[0]?.sensor.id ?? "";
  paused = measured().find(({ sensor }) => sensor.id !== evil)?.sensor.id ?? "";
  world.rename(evil, `evil\n\u001b[31m ${TEST_KEY}`);
  world.pause(paused, at);
  expect(await running.poll()).toBe(true);
  page = await running.page();
});

afterAll(() => running.close());

/** Channels with values that base-units converts. */
function measured(): SimChannel[] {
  return world
    .channels()
    .filter((one) => one.displayUnit === "%" && one.number >= 0 && servedValue(world, one, at) !== undefined);
}

async function explain(object: string) {
  const report = await running.exporter.debug.explain(new URLSearchParams({ object }));
  return { ...report, text: debugText(report) };
}

async function explained(object: string): Promise<Explained> {
  const { status, json } = await explain(object);
  expect(status).toBe(200);
  return json as Explained;
}

function linesOf(sensorId: string, channelId?: string): string[] {
  return page.split("\n").filter((line) => {
    if (line === "" || line.startsWith("#")) return false;
    const { labels } = parseSample(line);
    return labels.sensor_id === sensorId && labels.channel_id === channelId;
  });
}

describe("/debug/explain", () => {
  test("shows the record, the rule and the lines of a sensor and its channels", async () => {
    const sensor = measured()[5]?.sensor;
    if (sensor === undefined) throw new Error("no sensor");
    const { objects } = await explained(sensor.id);
    expect(objects).toHaveLength(1);
    const [object] = objects;
    expect(object?.server).toBe("hq");
    expect(object?.sensor).toMatchObject({ sensor_id: sensor.id, status: world.state(sensor, at).status });
    expect(object?.lines).toEqual(linesOf(sensor.id));
    expect(object?.channels.map(({ channel_id }) => channel_id)).toEqual(
      sensor.channels.map(({ number }) => String(number)),
    );
    for (const channel of object?.channels ?? []) {
      expect(channel.lines).toEqual(linesOf(sensor.id, String(channel.channel_id)));
    }
  });

  test("shows a single channel with its value, rule and unit", async () => {
    const channel = measured()[5];
    if (channel === undefined) throw new Error("no channel");
    const id = `${channel.sensor.id}.${channel.number}`;
    const { objects } = await explained(id);
    const whole = await explained(channel.sensor.id);
    expect(objects[0]?.lines).toEqual(whole.objects[0]?.lines);
    expect(objects[0]?.lines).not.toEqual([]);
    expect(objects[0]?.channels).toMatchObject([
      {
        channel: channel.name,
        unit: "%",
        state: "served",
        value: servedValue(world, channel, at),
        measured_at: new Date(world.lastMeasurement(channel, at)?.at ?? 0).toISOString(),
        outcome: "mapped",
        rule: expect.stringMatching(/^rules\[\d\] of preset base-units$/),
      },
    ]);
    const { text } = await explain(id);
    for (const line of objects[0]?.channels[0]?.lines ?? ["missing"]) expect(text).toContain(`\n    ${line}\n`);
    expect(text).toContain("normalised (the exporter keeps no raw records)");
  });

  test("explains why a channel has no lines", async () => {
    const dropped = world.channels().find(({ name }) => name === "Downtime");
    expect((await explained(`${dropped?.sensor.id}.-4`)).objects[0]?.channels).toMatchObject([
      { state: "dropped", outcome: "dropped", rule: "rules[0] of test.yaml", lines: [] },
    ]);
    expect((await explain(paused)).text).toMatch(/value +none: the sensor is paused/);
  });

  test("sends no request to the server", async () => {
    const requests = () =>
      running.exporter.metrics.registry.getSingleMetricAsString("prtg_exporter_api_requests_total");
    const before = await requests();
    await explain(measured()[0]?.sensor.id ?? "");
    await running.exporter.debug.cardinality(new URLSearchParams());
    expect(await requests()).toBe(before);
  });

  test("keeps names on their line", async () => {
    const { text } = await explain(evil);
    expect(text).toContain("evil [31m");
    expect([...text].filter((character) => character < " " && character !== "\n")).toEqual([]);
  });

  test.each([
    ["", 400, "give ?object= with the id of a sensor (2490) or of a channel (2490.1)"],
    ["24 90", 400, "give ?object= with"],
    ["x".repeat(200), 400, "give ?object= with"],
    ["999999", 404, "no server has returned sensor 999999 yet"],
    ["999999.1", 404, "no server has returned channel 999999.1 yet"],
  ])("answers object=%s with %d", async (object, status, message) => {
    const { status: given, text, json } = await explain(object);
    expect(given).toBe(status);
    expect(text).toContain(message);
    expect(json).toEqual({ error: expect.stringContaining(message) });
  });

  test("describes an object without channels", async () => {
    const probe = world.list("probe")[0]?.id ?? "";
    const { status, text } = await explain(probe);
    expect([status, text]).toEqual([404, expect.stringContaining(`${probe} is a probe: give ?object=`)]);
    expect((await explain(`${measured()[0]?.sensor.id}.777`)).status).toBe(404);
  });
});

describe("/debug/cardinality", () => {
  test("counts the series of the page", async () => {
    const report = await running.exporter.debug.cardinality(new URLSearchParams());
    const { json } = report;
    const samples = page
      .split("\n")
      .filter((line) => /^[a-z]/.test(line))
      .map(parseSample)
      .filter(({ name }) => /^prtg_(?!exporter_|up$)/.test(name));
    const sizes = Map.groupBy(samples, ({ name }) => name);
    expect(json).toMatchObject({ series: samples.length });
    const { families, labels, probes, series_of_no_probe } = json as {
      readonly families: readonly { readonly family: string; readonly series: number }[];
      readonly labels: readonly {
        readonly label: string;
        readonly distinct: number;
        readonly top: readonly unknown[];
      }[];
      readonly probes: readonly { readonly probe: string; readonly series: number }[];
      readonly series_of_no_probe: number;
    };
    expect(new Map(families.map(({ family, series }) => [family, series]))).toEqual(
      new Map([...sizes].map(([name, each]) => [name, each.length])),
    );
    for (const label of ["sensor_id", "path", "unit"]) {
      const values = Map.groupBy(
        samples.filter(({ labels: own }) => (own[label] ?? "") !== ""),
        ({ labels: own }) => own[label],
      );
      const found = labels.find((each) => each.label === label);
      expect(found?.distinct).toBe(values.size);
      const most = Math.max(...[...values.values()].map(({ length }) => length));
      expect(found?.top[0]).toMatchObject({ series: most });
    }
    expect(probes.reduce((sum, { series }) => sum + series, series_of_no_probe)).toBe(samples.length);
    expect(probes.map(({ probe }) => probe).sort()).toEqual(
      world
        .list("probe")
        .map(({ name }) => name)
        .sort(),
    );
    expect(debugText(report)).toMatch(/^series about monitored objects: \d+\n\nfamily +series\n/);
  });

  test("lists unmapped channels by unit and kind, with a correct example", async () => {
    const { json } = await running.exporter.debug.cardinality(new URLSearchParams());
    const { unmapped } = json as {
      readonly unmapped: {
        readonly channels: number;
        readonly units: { readonly most: readonly { name: string; channels: number; example: { object: string } }[] };
      };
    };
    const counts = world.channels().filter(({ displayUnit }) => displayUnit === "#");
    const group = unmapped.units.most.find(({ name }) => name === "#");
    expect(group?.channels).toBe(counts.length);
    expect(world.channel(group?.example.object ?? "")?.displayUnit).toBe("#");
    expect(unmapped.units.most.reduce((sum, { channels }) => sum + channels, 0)).toBe(unmapped.channels);
  });
});
