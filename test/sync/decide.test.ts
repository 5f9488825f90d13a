import { describe, expect, test } from "vitest";
import type { Silence } from "../../src/sync/alertmanager.ts";
import { decide } from "../../src/sync/decide.ts";
import type { Matcher } from "../../src/sync/matchers.ts";
import type { Acknowledged, Observed, ServerSide, SyncSensor } from "../../src/sync/observed.ts";
import { ownComment, sensorKey } from "../../src/sync/own-silences.ts";

const NOW = Date.UTC(2026, 0, 15, 12);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const RULES = { spanMs: HOUR, maxSensors: 3, acknowledge: true, silenceAcknowledged: true, silencePaused: true };

function matcher(name: string, value: string, isRegex = false): Matcher {
  return { name, value, isRegex, isEqual: true };
}

function silence(more: Partial<Silence> = {}): Silence {
  const times = { startsAt: NOW - HOUR, endsAt: NOW + 2 * HOUR, updatedAt: NOW - HOUR };
  const text = { createdBy: "ann", comment: "new disks" };
  return { id: "s-1", state: "active", matchers: [matcher("sensor_id", "1")], ...times, ...text, ...more };
}

function own(key: string, more: Partial<Silence> = {}): Silence {
  return silence({ id: `own ${key}`, createdBy: "PRTG hq", comment: ownComment("text", key), ...more });
}

interface Site {
  readonly statuses?: Readonly<Record<string, SyncSensor["status"]>>;
  readonly messages?: Readonly<Record<string, string>>;
  readonly paused?: ReturnType<ServerSide["pausedObjects"]>;
  readonly isChangeable?: boolean;
  readonly statusAt?: number;
}

/** Group `site`: sensors 1 and 2 are on device 40, sensors 3 and 4 on device 41. */
function side({ statuses = {}, messages = {}, paused = [], isChangeable = true, statusAt = NOW }: Site): ServerSide {
  const sensor = (id: string): SyncSensor => ({
    id,
    path: `site/${id}`,
    status: statuses[id] ?? "up",
    message: messages[id],
  });
  const deviceOf = (id: string) => (Number(id) <= 2 ? "40" : "41");
  const ids = ["1", "2", "3", "4"];
  return {
    ...{ statusAt, isChangeable, sensor, sensors: () => ids.map(sensor), pausedObjects: () => paused },
    sensorsBelow: (id) => ids.filter((each) => [each, deviceOf(each), "site"].includes(id)),
    labelsOf: (id) =>
      new Map([
        ["server", "hq"],
        ["sensor_id", id],
        ["device_id", deviceOf(id)],
      ]),
  };
}

function observed(site: Site, more: Partial<Observed> = {}): Observed {
  return {
    now: NOW,
    silences: [],
    alerts: [],
    acknowledged: new Map(),
    knowsSince: NOW,
    servers: new Map([["hq", side(site)]]),
    ...more,
  };
}

function alert(labels: Readonly<Record<string, string>>, ...silencedBy: readonly string[]) {
  return { labels: new Map(Object.entries({ server: "hq", ...labels })), silencedBy };
}

function memory(id: string, more: Partial<Acknowledged> = {}): Observed["acknowledged"] {
  const known = { silence: "s-1", sentAt: NOW - 30 * MINUTE, until: NOW + 30 * MINUTE, labels: { sensor_id: id } };
  return new Map([[sensorKey("hq", id), { ...known, ...more }]]);
}

/** `acknowledge 1 60`, `new acknowledged hq/1`, `expire own ...: why` */
function changes(...given: Parameters<typeof decide>): readonly string[] {
  return decide(...given).changes.map((change) => {
    if (change.kind === "acknowledge") return `acknowledge ${change.sensorId} ${change.seconds / 60}`;
    if (change.kind === "expire") return `expire ${change.id}: ${change.why}`;
    return `${change.why} ${change.key}`;
  });
}

describe("silences of persons", () => {
  test.each<[string, Site, Partial<Observed>, readonly string[]]>([
    [
      "acknowledge a down sensor for a span",
      { statuses: { 1: "down" } },
      { alerts: [alert({ sensor_id: "1" }, "s-1")] },
      ["acknowledge 1 60"],
    ],
    [
      "acknowledge a partially down sensor",
      { statuses: { 1: "partialdown" } },
      { alerts: [alert({ sensor_id: "1" }, "s-1")] },
      ["acknowledge 1 60"],
    ],
    ["leave warnings", { statuses: { 1: "warning" } }, { alerts: [alert({ sensor_id: "1" }, "s-1")] }, []],
    [
      "count for all sensors below a device",
      { statuses: { 1: "down", 2: "down", 3: "down" } },
      { alerts: [alert({ device_id: "40" }, "s-1")] },
      ["acknowledge 1 60", "acknowledge 2 60"],
    ],
    [
      "count for all sensors below an outage",
      { statuses: { 3: "down" } },
      { alerts: [alert({ id: "41" }, "s-1")] },
      ["acknowledge 3 60"],
    ],
    [
      "need alerts of a known server",
      { statuses: { 1: "down" } },
      { alerts: [alert({ server: "other", sensor_id: "1" }, "s-1")] },
      [],
    ],
    ["cover only silenced alerts", { statuses: { 1: "down" } }, { alerts: [alert({ sensor_id: "1" })] }, []],
    [
      "do nothing before they begin",
      { statuses: { 1: "down" } },
      { alerts: [alert({ sensor_id: "1" }, "s-1")], silences: [silence({ state: "pending" })] },
      [],
    ],
    [
      "wait for a poll after an acknowledgement",
      { statuses: { 1: "down" } },
      { alerts: [alert({ sensor_id: "1" }, "s-1")], acknowledged: memory("1", { sentAt: NOW }) },
      [],
    ],
    [
      "acknowledge again what a later poll shows as down",
      { statuses: { 1: "down" }, statusAt: NOW },
      { alerts: [alert({ sensor_id: "1" }, "s-1")], acknowledged: memory("1", { sentAt: NOW - 1 }) },
      ["acknowledge 1 60"],
    ],
    [
      "acknowledge again without an alert",
      { statuses: { 1: "down" } },
      { acknowledged: memory("1", { until: NOW }) },
      ["acknowledge 1 60"],
    ],
    [
      "change nothing without a key",
      { statuses: { 1: "down" }, isChangeable: false },
      { alerts: [alert({ sensor_id: "1" }, "s-1")] },
      [],
    ],
  ])("%s", (_, site, more, expected) => {
    expect(changes(observed(site, { silences: [silence()], ...more }), RULES)).toEqual(expected);
  });

  test("acknowledge no longer than they last, in whole minutes", () => {
    const silences = [silence({ endsAt: NOW + 90_000 })];
    const given = observed({ statuses: { 1: "down" } }, { silences, alerts: [alert({ sensor_id: "1" }, "s-1")] });
    expect(changes(given, RULES)).toEqual(["acknowledge 1 2"]);
  });

  // PRTG takes a duration of 0 seconds for an acknowledgement without an end.
  test.each([0, 30_000, HOUR])("acknowledge nothing %d ms after their end, if the clocks differ", (ms) => {
    const silences = [silence({ endsAt: NOW - ms })];
    const given = observed({ statuses: { 1: "down" } }, { silences, alerts: [alert({ sensor_id: "1" }, "s-1")] });
    expect(changes(given, RULES)).toEqual([]);
  });

  test("of several the last to end counts", () => {
    const silences = [
      silence({ endsAt: NOW + 5 * MINUTE }),
      silence({ id: "s-2", createdBy: "bob", endsAt: NOW + HOUR }),
    ];
    const given = observed(
      { statuses: { 1: "down" } },
      { silences, alerts: [alert({ sensor_id: "1" }, "s-1", "s-2")] },
    );
    expect(decide(given, RULES).changes).toMatchObject([
      { silence: "s-2", seconds: 3_600, message: "bob: new disks (silence s-2)" },
    ]);
  });

  test.each([
    ["with labels of the tree that fit too many", [matcher("server", "hq")]],
    ["without labels of the tree", [matcher("alertname", "PrtgSensorDown")]],
    // As the path of an outage, which no sensor has.
    ["with labels of the tree that no sensor has", [matcher("sensor_id", "site")]],
  ])("%s change nothing and complain", (_, matchers) => {
    const given = observed(
      { statuses: { 1: "down" } },
      { silences: [silence({ matchers })], alerts: [alert({ id: "site" }, "s-1")] },
    );
    const text = "the silence of ann could cover more than 3 sensors (sync.max_sensors)";
    expect(decide(given, RULES)).toMatchObject({ changes: [], complaints: [{ about: "s-1", kind: "too wide", text }] });
  });

  test("about other software are ignored without a complaint", () => {
    const silences = [silence({ matchers: [matcher("job", "node")] })];
    const alerts = [alert({ server: "db-1" }, "s-1"), alert({ sensor_id: "1" })];
    expect(decide(observed({}, { silences, alerts }), RULES)).toMatchObject({ changes: [], complaints: [] });
  });

  test("with a regular expression that is not understood change nothing and complain", () => {
    const matchers = [matcher("sensor_id", "(1", true)];
    const given = observed(
      { statuses: { 1: "down" } },
      { silences: [silence({ matchers })], alerts: [alert({ sensor_id: "1" }, "s-1")] },
    );
    const complaints = [{ about: "s-1", kind: "bad matcher" }];
    expect(decide(given, RULES)).toMatchObject({ changes: [], complaints });
  });

  test("can be switched off", () => {
    const given = observed(
      { statuses: { 1: "down" } },
      { silences: [silence()], alerts: [alert({ sensor_id: "1" }, "s-1")] },
    );
    expect(changes(given, { ...RULES, acknowledge: false })).toEqual([]);
  });
});

describe("acknowledgements in PRTG", () => {
  const ACKNOWLEDGED = { statuses: { 1: "acknowledged" } } as const;
  const KEY = "acknowledged hq/1";
  const mine = (more: Partial<Silence> = {}) =>
    own(KEY, { matchers: [matcher("server", "hq"), matcher("sensor_id", "1")], ...more });

  test.each<[string, Site, Partial<Observed>, readonly string[]]>([
    ["of a person become a silence", ACKNOWLEDGED, {}, [`new ${KEY}`]],
    ["of sync do not", ACKNOWLEDGED, { acknowledged: memory("1") }, []],
    [
      "of sync do not for two minutes after their end",
      ACKNOWLEDGED,
      { acknowledged: memory("1", { until: NOW - 2 * MINUTE + 1 }) },
      [],
    ],
    [
      "after those of sync do",
      ACKNOWLEDGED,
      { acknowledged: memory("1", { until: NOW - 2 * MINUTE }) },
      [`new ${KEY}`],
    ],
    ["with the mark of sync do not", { ...ACKNOWLEDGED, messages: { 1: "ann: new disks (silence abc-1)" } }, {}, []],
    ["of a sensor that a silence could cover do not", ACKNOWLEDGED, { silences: [silence()] }, []],
    [
      "of such a sensor do, a span after another process could have sent them",
      ACKNOWLEDGED,
      { silences: [silence()], knowsSince: NOW - HOUR - 2 * MINUTE - 1 },
      [`new ${KEY}`],
    ],
    ["keep their silence for half of a span", ACKNOWLEDGED, { silences: [mine({ endsAt: NOW + HOUR / 2 + 1 })] }, []],
    ["prolong it then", ACKNOWLEDGED, { silences: [mine({ endsAt: NOW + HOUR / 2 })] }, [`extend ${KEY}`]],
    ["replace it if it has other matchers", ACKNOWLEDGED, { silences: [own(KEY)] }, [`replace ${KEY}`]],
    ["end it", {}, { silences: [mine()] }, [`expire own ${KEY}: it is over in PRTG`]],
    [
      "end the second one",
      ACKNOWLEDGED,
      { silences: [mine({ id: "a" }), mine({ id: "b", endsAt: NOW + 3 * HOUR })] },
      ["expire a: it is there twice"],
    ],
    [
      "keep their silence if another one could cover the sensor",
      ACKNOWLEDGED,
      { silences: [mine(), silence({ matchers: [matcher("sensor_id", "1"), matcher("alertname", "Slow")] })] },
      [],
    ],
    ["leave silences of unread servers", {}, { silences: [mine()], servers: new Map() }, []],
  ])("%s", (_, site, more, expected) => {
    expect(changes(observed(site, more), RULES)).toEqual(expected);
  });

  test("give author, text and matchers", () => {
    const { changes: found } = decide(observed({ ...ACKNOWLEDGED, messages: { 1: "no\nanswer" } }), RULES);
    expect(found).toEqual([
      {
        ...{ kind: "silence", key: KEY, why: "new", id: undefined, createdBy: "PRTG hq" },
        ...{ startsAt: NOW, endsAt: NOW + HOUR, matchers: [matcher("server", "hq"), matcher("sensor_id", "1")] },
        comment: "Acknowledged in PRTG: site/1: no answer [prtg-exporter sync: acknowledged hq/1]",
      },
    ]);
  });
});

describe("pauses in PRTG", () => {
  const lists = [[matcher("device_id", "40")], undefined, [matcher("instance", "10.0.0.1(:.*)?", true)]];
  const paused = { id: "40", path: "site/core", message: "new disks", sensors: 2, matchers: lists };

  test("become a silence for each list that has values", () => {
    const { changes: found } = decide(observed({ paused: [paused] }), RULES);
    expect(found).toMatchObject([
      {
        key: "paused hq/40 #0",
        matchers: lists[0],
        comment: "Paused in PRTG: site/core: new disks [prtg-exporter sync: paused hq/40 #0]",
      },
      { key: "paused hq/40 #2", matchers: lists[2] },
    ]);
  });

  test("of too many sensors change nothing and complain", () => {
    const text = "the pause of site/core has 4 sensors, more than sync.max_sensors (3)";
    expect(decide(observed({ paused: [{ ...paused, sensors: 4 }] }), RULES)).toMatchObject({
      ...{ changes: [], complaints: [{ about: "paused hq/40", kind: "too wide", text }] },
    });
  });

  test("can be switched off, like acknowledgements", () => {
    const given = observed({ paused: [paused], statuses: { 1: "acknowledged" } });
    expect(changes(given, { ...RULES, silencePaused: false, silenceAcknowledged: false })).toEqual([]);
  });
});

test("both directions get their share of a limit, ends come first and prolongations before new silences", () => {
  const sensor = (id: string) => [matcher("server", "hq"), matcher("sensor_id", id)];
  const site = { statuses: { 1: "down", 2: "down", 3: "acknowledged", 4: "acknowledged" } } as const;
  const silences = [
    silence({ matchers: [matcher("device_id", "40")] }),
    own("acknowledged hq/4", { matchers: sensor("4"), endsAt: NOW + 1 }),
    own("acknowledged hq/1", { matchers: sensor("1") }),
  ];
  const given = observed(site, { silences, alerts: [alert({ device_id: "40" }, "s-1")] });
  expect(changes(given, RULES)).toEqual([
    "expire own acknowledged hq/1: it is over in PRTG",
    "acknowledge 1 60",
    "extend acknowledged hq/4",
    "acknowledge 2 60",
    "new acknowledged hq/3",
  ]);
});

test("forgets acknowledgements that are over and not covered", () => {
  const over = memory("1", { until: NOW - HOUR });
  expect(decide(observed({}, { acknowledged: over }), RULES).forgotten).toEqual(["hq/1"]);
  expect(decide(observed({}, { acknowledged: over, silences: [silence()] }), RULES).forgotten).toEqual([]);
  expect(decide(observed({}, { acknowledged: memory("1") }), RULES).forgotten).toEqual([]);
});
