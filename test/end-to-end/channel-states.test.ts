import { afterEach, expect, test } from "vitest";
import type { SimChannel, World } from "../../packages/simulator/src/world/model.ts";
import { LOOKUP_TYPES, lookupOf } from "../../packages/simulator/src/world/sensors/lookups.ts";
import { type ParsedSample, parsePage } from "../support/parse-sample.ts";
import {
  type SimulatedExporter,
  type SimulatedExporterOptions,
  startSimulatedExporter,
} from "../support/simulated-exporter.ts";
import { servedValue, stateOf } from "../support/world-truth.ts";

/** Longest sensor interval here. */
const STEP_MS = 3_600_000;

let running: SimulatedExporter | undefined;

afterEach(async () => {
  await running?.close();
  running = undefined;
});

async function start(options: SimulatedExporterOptions, at: number): Promise<SimulatedExporter> {
  running = await startSimulatedExporter(options);
  running.simulator.freezeAt(at);
  expect(await running.poll()).toBe(true);
  return running;
}

async function statesOn({ page }: SimulatedExporter): Promise<Map<string, string | undefined>> {
  const lines = (await page()).match(/^prtg_channel_state\{.*$/gm) ?? [];
  const states = [...parsePage(lines.join("\n")).values()];
  expect(new Set(states.map(({ value }) => value))).toEqual(new Set(["1"]));
  return new Map(states.map((sample) => [idOf(sample), sample.labels.state]));
}

function idOf({ labels }: ParsedSample): string {
  return `${labels.sensor_id}.${labels.channel_id}`;
}

function statesIn(world: World, at: number): Map<string, string | undefined> {
  return new Map(
    world.channels().flatMap((channel) => {
      const value = servedValue(world, channel, at);
      const state = value === undefined ? undefined : stateOf(channel, value);
      return state === undefined ? [] : [[`${channel.sensor.id}.${channel.number}`, state] as const];
    }),
  );
}

// A step of minutes would look like an outage and cause a backfill.
const settings = "collectors: { timeseries: { mode: off } }";

test.each(["live", "specification"] as const)(
  "every channel with a lookup shows exactly its text, in the spelling of %s",
  async (spelling) => {
    const at = Date.now();
    const exporter = await start({ simulator: { spelling }, settings }, at);
    const { world } = exporter.simulator;
    const expected = statesIn(world, at);
    expect(await statesOn(exporter)).toEqual(expected);
    const shown = world.channels().filter(({ sensor, number }) => expected.has(`${sensor.id}.${number}`));
    expect(shown.length).toBeGreaterThan(200);
    expect(new Set(shown.map((channel) => lookupOf(channel)?.type))).toEqual(new Set(LOOKUP_TYPES));
    if (spelling === "live") await follow(exporter, at);
  },
);

/** Values to force, with their texts. */
const STEPS = {
  "prtg.simulated.service.state": { 1: "Stopped", 7: "Paused", 77: "77" },
  "prtg.simulated.paper.tray": { 4: "Jammed", 6: "Empty, Jammed", 9: "Low on Paper, 8" },
  "prtg.simulated.certificate.keylength": { 1023: "Unsafe", 3071: "Good", 20000: "20000" },
};

/** Texts follow values in each poll, including values without a lookup. */
async function follow(exporter: SimulatedExporter, startedAt: number): Promise<void> {
  const { simulator } = exporter;
  const { world } = simulator;
  const channels = Object.entries(STEPS).map(([lookup, texts]) => {
    return { channel: calmChannel(world, lookup, startedAt), texts: Object.entries(texts) };
  });
  // A single read by the slow collector is enough.
  simulator.faults.set(["missing@/lookup-definitions"]);
  for (let step = 0; step < 3; step++) {
    const start = startedAt + step * STEP_MS;
    const ends = channels.map(({ channel, texts }) => {
      const effect = { kind: "reading", channel: channel.number, to: Number(texts[step]?.[0]), overMs: 0 } as const;
      return world.addIncident(channel.sensor.id, { start, lengthMs: STEP_MS, everyMs: Infinity, times: 1, effect });
    });
    simulator.freezeAt(start + STEP_MS - 1);
    expect(await exporter.poll()).toBe(true);
    const states = await statesOn(exporter);
    const shown = channels.map(({ channel }) => states.get(`${channel.sensor.id}.${channel.number}`));
    expect(shown).toEqual(channels.map(({ texts }) => texts[step]?.[1]));
    for (const end of ends) end();
  }
}

test("a server without lookups works without states or failures", async () => {
  const exporter = await start(
    { size: { sensors: 100 }, simulator: { faults: ["missing@/lookup-definitions"] } },
    Date.now(),
  );
  expect(await exporter.page()).not.toContain("prtg_channel_state{");
  expect(await exporter.page()).toContain("prtg_channel_limit{");
});

/** Its sensor stays up and scans at each step. */
function calmChannel(world: World, lookup: string, at: number): SimChannel {
  const found = world.channels().find((channel) => {
    const { sensor } = channel;
    if (lookupOf(channel)?.id !== lookup || sensor.intervalSeconds * 1_000 > STEP_MS) return false;
    const { status, since } = world.state(sensor, at + 3 * STEP_MS);
    return status === "up" && since < at;
  });
  if (found === undefined) throw new Error(`no channel with ${lookup}`);
  return found;
}
