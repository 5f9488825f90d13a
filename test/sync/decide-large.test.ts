import { beforeAll, expect, test } from "vitest";
import { ServerState } from "../../src/model/server-state.ts";
import { NODE_KINDS } from "../../src/model/tree.ts";
import type { Silence } from "../../src/sync/alertmanager.ts";
import { decide } from "../../src/sync/decide.ts";
import type { Matcher } from "../../src/sync/matchers.ts";
import { ServerObjects } from "../../src/sync/objects.ts";
import type { Observed } from "../../src/sync/observed.ts";
import { contextAt } from "../model/build-context.ts";
import { list, ROOT, record } from "../model/build-record.ts";
import { ManualClock } from "../support/manual-clock.ts";

const NOW = Date.UTC(2026, 0, 15, 12);
const HOUR = 3_600_000;
const SENSORS = 20_000;
const RULES = { spanMs: HOUR, maxSensors: 200, acknowledge: true, silenceAcknowledged: true, silencePaused: true };

/** 0 is the id of the root. */
const idOf = (at: number) => String(at + 1);

/** One probe with devices of 20 sensors, which are all down and have an alert. */
let world: Pick<Observed, "servers" | "alerts">;

beforeAll(async () => {
  const devices = Array.from({ length: SENSORS / 20 }, (_, at) =>
    record("device", `d${at}`, "p", { name: `host-${at}` }),
  );
  const sensors = Array.from({ length: SENSORS }, (_, at) =>
    record("sensor", idOf(at), `d${at % devices.length}`, { name: "Ping", status: "down" }),
  );
  const records = [record("probe", "p", ROOT, { name: "Berlin" }), ...devices, ...sensors];
  const state = new ServerState({ staleAfterMs: undefined });
  const nodes = Object.fromEntries(
    NODE_KINDS.map((kind) => [
      kind,
      list(
        records.filter((each) => each.kind === kind),
        true,
      ),
    ]),
  );
  await state.applyTree({ nodes }, contextAt(new ManualClock()));
  const objects = new ServerObjects("hq", state);
  const side = {
    ...{ statusAt: NOW, isChangeable: true, pausedObjects: () => [] },
    sensors: () => objects.sensors(),
    sensor: (id: string) => objects.sensor(id),
    sensorsBelow: (id: string) => objects.sensorsBelow(id),
    labelsOf: (id: string) => objects.labelsOf(id),
  };
  const alerts = sensors.map(({ id }) => ({ labels: objects.labelsOf(id) ?? new Map(), silencedBy: ["s-0"] }));
  world = { servers: new Map([["hq", side]]), alerts };
});

function silence(at: number, ...matchers: readonly Matcher[]): Silence {
  const times = { startsAt: NOW - HOUR, endsAt: NOW + HOUR, updatedAt: NOW - HOUR };
  return { id: `s-${at}`, state: "active", matchers, ...times, createdBy: "ann", comment: "everything" };
}

test.each<[string, Partial<Matcher>]>([
  ["each server", { name: "server", value: ".+", isRegex: true }],
  ["each path", { name: "path", value: ".*", isRegex: true }],
  ["each sensor but one", { name: "sensor_id", value: "7", isEqual: false }],
  ["each alert", { name: "alertname", value: ".+", isRegex: true }],
  ["each alert without a label that none has", { name: "team", value: "" }],
])("a silence of %s changes nothing with 20,000 sensors, and says why", (_, more) => {
  const silences = [silence(0, { name: "", value: "", isRegex: false, isEqual: true, ...more })];
  const { changes, complaints } = decide(
    { ...world, now: NOW, silences, acknowledged: new Map(), knowsSince: NOW },
    RULES,
  );
  const text = "the silence of ann could cover more than 200 sensors (sync.max_sensors)";
  expect({ changes, complaints }).toEqual({ changes: [], complaints: [{ about: "s-0", kind: "too wide", text }] });
});

test("compares 500 silences of one sensor with 20,000 sensors at once", () => {
  const equal = (name: string, value: string) => ({ name, value, isRegex: false, isEqual: true });
  const silences = Array.from({ length: 500 }, (_, at) =>
    silence(at + 1, equal("alertname", "PrtgSensorDown"), equal("server", "hq"), equal("sensor_id", idOf(at))),
  );
  const begin = performance.now();
  expect(decide({ ...world, now: NOW, silences, acknowledged: new Map(), knowsSince: NOW }, RULES).complaints).toEqual(
    [],
  );
  // It took 15 s when each silence was compared with each sensor.
  expect(performance.now() - begin).toBeLessThan(3_000);
});

test("acknowledges 200 sensors for a silence with a comment of 4 MB at once", () => {
  const long = {
    ...silence(0, { name: "device_id", value: "d1", isRegex: false, isEqual: true }),
    comment: "new disk ".repeat(450_000),
  };
  const alerts = Array.from({ length: 200 }, (_, at) => ({
    labels: new Map([
      ["server", "hq"],
      ["sensor_id", idOf(at)],
    ]),
    silencedBy: [long.id],
  }));
  const begin = performance.now();
  const { changes } = decide(
    { ...world, alerts, now: NOW, silences: [long], acknowledged: new Map(), knowsSince: NOW },
    RULES,
  );
  expect(changes.length).toBe(200);
  expect(JSON.stringify(changes).length).toBeLessThan(200 * 600);
  // It took 28 s when each message cut the whole comment.
  expect(performance.now() - begin).toBeLessThan(3_000);
});
