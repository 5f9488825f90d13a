import { describe, expect, test } from "vitest";
import type { SpellingName } from "../../src/records/spelling.ts";
import { query, type Sent, startService } from "../support/running-service.ts";

interface Fact {
  readonly fact: string;
  readonly path: string;
  readonly sent?: Sent;
  readonly live: Answer;
  readonly specification: Answer;
}

interface Answer {
  readonly status: number;
  readonly shows?: unknown;
}

const REFUSED: Answer = { status: 400, shows: expect.objectContaining({ code: "INVALID_FILTER" }) };

function shows(body: unknown): Answer {
  return { status: 200, shows: body };
}

function ids(...list: readonly string[]): Answer {
  return shows(list.map((id) => expect.objectContaining({ id })));
}

function sensors(filter: string): string {
  return `/experimental/sensors${query({ filter })}`;
}

const FILTERS: readonly Fact[] = [
  { fact: "a name can match", path: sensors('name matches "plin"'), live: ids("1001"), specification: REFUSED },
  ...["(", ")", "[", "]", "&"].map(
    (character): Fact => ({
      fact: `a text cannot have ${character}`,
      path: sensors(`name = "Ping ${character} more"`),
      live: REFUSED,
      specification: ids(),
    }),
  ),
  { fact: "nor in a list", path: sensors('name in ["Ping", "a (b)"]'), live: REFUSED, specification: ids("1000") },
  { fact: "nor a tag", path: sensors('basic.tags contains "R&D"'), live: REFUSED, specification: ids() },
  { fact: "a text has quotes", path: sensors("name = Ping"), live: REFUSED, specification: REFUSED },
  { fact: "a parent is a text", path: sensors("parentid = 100"), live: REFUSED, specification: REFUSED },
  { fact: "a list of numbers finds nothing", path: sensors("parentid in [100]"), live: ids(), specification: REFUSED },
  {
    fact: "a parent can be in a list",
    path: sensors('parentid in ["100"]'),
    live: ids("1000", "1001"),
    specification: REFUSED,
  },
  { fact: "only the direct parent counts", path: sensors('parentid = "10"'), live: ids(), specification: ids() },
  {
    fact: "a status can be in a list",
    path: sensors("status in [DOWN, WARNING]"),
    live: ids("2000"),
    specification: REFUSED,
  },
  {
    fact: "a status in upper case is understood",
    path: sensors("status = UP"),
    live: ids("1000"),
    specification: ids("1000"),
  },
  { fact: "a status of records is not", path: sensors("status = DOWN_PARTIAL"), live: REFUSED, specification: REFUSED },
  { fact: "nor one with its prefix", path: sensors("status = SUMMED_INFO_UP"), live: REFUSED, specification: REFUSED },
  {
    fact: "pausedbyuseruntil is a status",
    path: sensors("status = pausedbyuseruntil"),
    live: ids(),
    specification: REFUSED,
  },
  { fact: "operators are no words", path: sensors('name eq "Ping"'), live: REFUSED, specification: REFUSED },
  { fact: "parent.id is no property", path: sensors('parent.id = "100"'), live: REFUSED, specification: REFUSED },
  { fact: "nor sensor_kind", path: sensors('sensor_kind = "ping"'), live: REFUSED, specification: REFUSED },
];

const RECORDS: readonly Fact[] = [
  {
    fact: "a sensor has its message and when it was up beside its name",
    path: "/experimental/sensors?limit=1",
    live: shows([expect.objectContaining({ message: "OK", lastup: "2026-03-12T17:55:05Z", kind_name: "Ping v2" })]),
    specification: shows([expect.objectContaining({ message: "OK", lastup: "2026-03-12T17:55:05.000Z" })]),
  },
  {
    fact: "settings are texts",
    path: "/sensors/1000?include=intervalgroup",
    live: shows(expect.objectContaining({ intervalgroup: expect.objectContaining({ interval: "60" }) })),
    specification: shows(expect.objectContaining({ intervalgroup: expect.objectContaining({ interval: 60 }) })),
  },
  {
    fact: "the displayed value is a number",
    path: "/channels/1001.1",
    live: shows(expect.objectContaining({ last_measurement: expect.objectContaining({ display_value: 0.5 }) })),
    specification: shows(
      expect.objectContaining({ last_measurement: expect.objectContaining({ display_value: "0.5" }) }),
    ),
  },
  {
    fact: "a sensor's data has the measurement and the type of the unit beside the channel",
    path: "/sensors/1001/data?limit=1",
    live: shows([
      {
        channel: expect.objectContaining({ id: "1001.1", name: "Traffic In" }),
        last_measurement: expect.objectContaining({ display_value: 0.5, timestamp: "2026-03-12T17:55:00Z" }),
        unit: { type: "BYTES_BANDWIDTH" },
      },
    ]),
    specification: shows([expect.objectContaining({ timestamp: "2026-03-12T17:55:00.000Z", value: 62_500 })]),
  },
  {
    fact: "a channel that was never measured has null",
    path: "/channels/1002.0",
    live: shows(expect.objectContaining({ last_measurement: null })),
    specification: shows(expect.not.objectContaining({ last_measurement: null })),
  },
  {
    fact: "deprecated lists mark the status of what holds sensors",
    path: "/devices?limit=1",
    live: shows([expect.objectContaining({ status: "SUMMED_INFO_DOWN_ACKNOWLEDGED" })]),
    specification: shows([expect.objectContaining({ status: "up" })]),
  },
  {
    fact: "include=sensor_status_summary counts",
    path: "/experimental/devices?limit=1&include=sensor_status_summary",
    live: shows([
      expect.objectContaining({ sensor_status_summary: expect.objectContaining({ down_acknowledged: 1 }) }),
    ]),
    specification: shows([
      expect.objectContaining({ sensor_status_summary: expect.objectContaining({ acknowledged: 1 }) }),
    ]),
  },
  {
    fact: "sensor_status_summary=true alone does nothing",
    path: "/experimental/devices?limit=1&sensor_status_summary=true",
    live: shows([expect.not.objectContaining({ sensor_status_summary: expect.anything() })]),
    specification: shows([expect.not.objectContaining({ sensor_status_summary: expect.anything() })]),
  },
  {
    fact: "include=* works",
    path: "/devices/100?include=*",
    live: shows(expect.objectContaining({ intervalgroup: expect.anything(), path: expect.anything() })),
    specification: shows(expect.objectContaining({ intervalgroup: expect.anything(), path: expect.anything() })),
  },
];

const INCLUDES: readonly Fact[] = [
  {
    fact: "how a device looks around can be included",
    path: "/devices/100?include=discoverytypegroup",
    live: shows(expect.objectContaining({ discoverytypegroup: { discoverytype: "0", discoveryschedule: "0" } })),
    specification: shows(expect.objectContaining({ discoverytypegroup: { discoverytype: 0, discoveryschedule: 0 } })),
  },
  ...["/groups/10", "/devices/100", "/sensors/1000", "/probes/1"].map(
    (path): Fact => ({
      fact: `rights can be included: ${path}`,
      path: `${path}?include=accessrightsgroup,inheritance`,
      live: shows(expect.objectContaining({ accessrightsgroup: expect.objectContaining({ _inherited: false }) })),
      specification: shows(
        expect.objectContaining({ accessrightsgroup: expect.objectContaining({ _inherited: false }) }),
      ),
    }),
  ),
  {
    fact: "a sensor does not look around",
    path: "/sensors/1000?include=discoverytypegroup",
    live: { status: 400 },
    specification: { status: 400 },
  },
];

const REQUESTS: readonly Fact[] = [
  {
    fact: "a key of another form is no key",
    path: "/experimental/sensors",
    sent: { bearer: "1234567890" },
    live: { status: 400, shows: expect.objectContaining({ message: "invalid session token or API token format" }) },
    specification: { status: 401, shows: expect.objectContaining({ code: "AUTH_FAILED" }) },
  },
  {
    fact: "a key that is none of its keys",
    path: "/version",
    sent: { bearer: "WRONGKEY" },
    live: { status: 401, shows: expect.objectContaining({ code: "AUTH_FAILED" }) },
    specification: { status: 401, shows: expect.objectContaining({ code: "AUTH_FAILED" }) },
  },
  {
    fact: "unknown parameters are ignored",
    path: "/experimental/sensors?sort=name",
    live: { status: 200 },
    specification: { status: 200 },
  },
  { fact: "there is no list of messages", path: "/messages", live: { status: 404 }, specification: { status: 404 } },
  { fact: "nor of the log", path: "/experimental/logs", live: { status: 404 }, specification: { status: 404 } },
  { fact: "nor a status of the server", path: "/status", live: { status: 404 }, specification: { status: 404 } },
];

const TABLES = { filters: FILTERS, records: RECORDS, includes: INCLUDES, requests: REQUESTS };

describe.each<SpellingName>(["live", "specification"])("in the spelling %s", (spelling) => {
  describe.each(Object.entries(TABLES))("%s", (_, facts) => {
    test.each(facts)("$fact", async ({ path, sent, [spelling]: expected }) => {
      const { send } = await startService({ spelling });
      const { status, json, text } = await send(path, sent);
      expect(status, text).toBe(expected.status);
      if (expected.shows !== undefined) expect(json).toEqual(expected.shows);
    });
  });

  test.each([
    ["", spelling === "live" ? 100 : 124],
    ["?limit=0", 124],
    ["?limit=3000", 124],
    ["?limit=7", 7],
  ])("a list with %j has %i of 124 objects", async (parameters, count) => {
    const { simulator, send } = await startService({ spelling });
    const { world, now } = simulator;
    for (let number = 0; number < 120; number++) world.addSensor("100", `Sensor ${number}`, now());
    const { json, headers } = await send(`/experimental/sensors${parameters}`);
    expect(json).toHaveLength(count);
    expect(headers.get("x-total-count")).toBe("124");
  });
});
