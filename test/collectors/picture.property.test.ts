import fc from "fast-check";
import { expect, test } from "vitest";
import { TREE_FAMILIES } from "../../src/mapping/metric-table.ts";
import type { NodeKind } from "../../src/prtg/node-record.ts";
import { isPaused, type StatusToken } from "../../src/prtg/status.ts";
import { ROOT, record, reference } from "../model/build-record.ts";
import { never } from "../support/never-aborted.ts";
import { runs } from "../support/runs.ts";
import { type MemoryPipeline, memoryPipeline } from "./memory-pipeline.ts";
import { MemoryServer, type Question } from "./memory-server.ts";
import { channel } from "./small-server.ts";

const SENSORS = ["50", "51", "52", "53"];
const DEVICES = ["40", "41"];
const GROUPS = ["10", "11"];

type Step =
  | { readonly do: "add sensor" | "remove"; readonly id: string; readonly device: string }
  | { readonly do: "move"; readonly id: string; readonly parent: string }
  | { readonly do: "rename"; readonly id: string; readonly name: string }
  | { readonly do: "status"; readonly id: string; readonly status: StatusToken }
  | { readonly do: "channel" | "no channel"; readonly id: string; readonly number: number; readonly unit: string }
  | { readonly do: "poll"; readonly incomplete: readonly Question[]; readonly lost: readonly string[] }
  | { readonly do: "failing poll"; readonly questions: readonly Question[] };

const sensor = fc.constantFrom(...SENSORS);
const lists: readonly (NodeKind | "channels" | "limits")[] = [
  "probe",
  "group",
  "device",
  "sensor",
  "channels",
  "limits",
];

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant("add sensor"), id: sensor, device: fc.constantFrom(...DEVICES) }),
  fc.record({ do: fc.constant("remove"), id: sensor, device: fc.constant("") }),
  fc.record({ do: fc.constant("move"), id: sensor, parent: fc.constantFrom(...DEVICES) }),
  fc.record({ do: fc.constant("move"), id: fc.constantFrom(...DEVICES), parent: fc.constantFrom(...GROUPS, "1") }),
  fc.record({
    do: fc.constant("rename"),
    id: fc.constantFrom(...SENSORS, ...DEVICES, ...GROUPS, "1"),
    name: fc.constantFrom("a", "b", "same", "x/y"),
  }),
  fc.record({ do: fc.constant("status"), id: sensor, status: fc.constantFrom("up", "down", "pausedbyuser") }),
  fc.record({
    do: fc.constantFrom("channel", "no channel"),
    id: sensor,
    number: fc.integer({ min: -1, max: 1 }),
    unit: fc.constantFrom("%", "ms"),
  }),
  fc.record({
    do: fc.constant("poll"),
    incomplete: fc.oneof(fc.constant([]), fc.subarray([...lists])),
    lost: fc.subarray([...SENSORS, ...DEVICES, "50.0", "50.1", "51.0", "52.-1"]),
  }),
  fc.record({
    do: fc.constant("failing poll"),
    questions: fc.subarray<Question>([...lists, "summary", "counts"], { minLength: 1 }),
  }),
);

function newServer(): MemoryServer {
  const server = new MemoryServer();
  server.put(record("probe", "1", ROOT), ...GROUPS.map((id) => record("group", id, "1")));
  server.lookupDefinitions = [
    { id: "acme.load", name: "", entries: [{ kind: "range", from: 0, to: 100, text: "Loaded" }] },
  ];
  server.put(...DEVICES.map((id) => record("device", id, "10")));
  return server;
}

function pathOf(server: MemoryServer, id: string): string {
  const names: string[] = [];
  for (let at = server.nodeRecords.get(id); at !== undefined; at = server.nodeRecords.get(at.parent?.id ?? "")) {
    names.unshift(at.name);
  }
  return names.join("/");
}

/** A sensor, or a channel (`50.0`) of one that is not paused. */
function lives(server: MemoryServer, id: string): boolean {
  const sensor = server.nodeRecords.get(id.split(".")[0] ?? "");
  if (sensor === undefined || !id.includes(".")) return sensor !== undefined;
  if (isPaused(sensor.status)) return false;
  return server.channelRecords.some(({ sensorId, channelId }) => id === `${sensorId}.${channelId}`);
}

/** Reads every family, which rejects duplicate series. */
function shown({ series }: MemoryPipeline): { sensors: Map<string, string>; values: Map<string, string> } {
  for (const family of Object.values(TREE_FAMILIES)) series(family);
  return {
    sensors: new Map(
      series(TREE_FAMILIES.sensorStatusCode).map(({ labels }) => [labels.sensor_id ?? "", labels.path ?? ""]),
    ),
    values: new Map(
      series(TREE_FAMILIES.channelValue).map(({ labels }) => [
        `${labels.sensor_id}.${labels.channel_id}`,
        `${labels.path} ${labels.unit}`,
      ]),
    ),
  };
}

function mutate(server: MemoryServer, given: Step, measuredAt: number): void {
  if (given.do === "add sensor") {
    if (!server.nodeRecords.has(given.id)) server.put(record("sensor", given.id, given.device));
  } else if (given.do === "remove") server.remove(given.id);
  else if (given.do === "move" && server.nodeRecords.has(given.id)) {
    server.change(given.id, { parent: reference(given.parent) });
  } else if (given.do === "rename" && server.nodeRecords.has(given.id)) server.change(given.id, { name: given.name });
  else if (given.do === "status" && server.nodeRecords.has(given.id)) server.change(given.id, { status: given.status });
  else if (given.do === "channel" || given.do === "no channel") {
    const key = `${given.id}.${given.number}`;
    server.channelRecords = server.channelRecords.filter(
      ({ sensorId, channelId }) => `${sensorId}.${channelId}` !== key,
    );
    const more = { measuredAt, unit: given.unit, limits: { max_error: 1 }, lookup: "acme.load" };
    if (given.do === "channel") server.channelRecords.push(channel(key, more));
  }
}

test("the state follows the server through any changes and failures, without duplicates or losses", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const subject = memoryPipeline(newServer());
      const { server, monitor, clock } = subject;
      /** Shown by a poll and alive since. */
      const alive = new Set<string>();
      for (const given of steps) {
        mutate(server, given, clock.now());
        for (const id of alive) if (!lives(server, id)) alive.delete(id);
        if (given.do === "poll") {
          for (const question of given.incomplete) server.incomplete.add(question);
          for (const id of given.lost) server.lost.add(id);
        } else if (given.do === "failing poll") server.fail("API_TIMEOUT", ...given.questions);
        else continue;
        await monitor.pollOnce(never);
        server.recover();
        const { sensors, values } = shown(subject);
        const served = new Set([...sensors.keys(), ...values.keys()]);
        for (const id of alive) expect(served).toContain(id);
        for (const id of served) if (lives(server, id)) alive.add(id);
      }

      for (let poll = 0; poll < 2; poll++) await monitor.pollOnce(never);
      const living = SENSORS.filter((id) => server.nodeRecords.has(id));
      const { sensors, values } = shown(subject);
      expect([...sensors].sort()).toEqual(living.map((id) => [id, pathOf(server, id)]).sort());
      const channels = server.channelRecords
        .map(({ sensorId, channelId, unit }) => ({ sensorId, id: `${sensorId}.${channelId}`, unit }))
        .filter(({ id }) => lives(server, id))
        .map(({ sensorId, id, unit }) => [id, `${pathOf(server, sensorId)} ${unit}`]);
      expect([...values].sort()).toEqual(channels.sort());
      expect(subject.series(TREE_FAMILIES.channelLimitExceeded)).toHaveLength(channels.length);
      const states = subject.series(TREE_FAMILIES.channelState).map(({ labels }) => {
        return [`${labels.sensor_id}.${labels.channel_id}`, `${labels.path} ${labels.unit}`, labels.state];
      });
      expect(states.sort()).toEqual(channels.map((shown) => [...shown, "Loaded"]).sort());
    }),
    { numRuns: runs(150) },
  );
});
