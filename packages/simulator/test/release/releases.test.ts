import { describe, expect, test } from "vitest";
import type { SpellingName } from "../../src/records/spelling.ts";
import { RELEASE_NAMES, type ReleaseName } from "../../src/release/release.ts";
import { startService } from "../support/running-service.ts";

type Sent = Pick<RequestInit, "method" | "body">;

const POST: Sent = { method: "POST" };
const RENAME: Sent = { method: "PATCH", body: JSON.stringify({ basic: { name: "Renamed" } }) };
const CLONE: Sent = { method: "POST", body: JSON.stringify({ parent: "101", name: " " }) };
const INTERVAL: Sent = { method: "PATCH", body: JSON.stringify({ intervalgroup: { interval: 300 } }) };
const ADD_GROUP: Sent = { method: "POST", body: JSON.stringify({ basic: { name: "New" } }) };

type Statuses = readonly [number, number, number, number];

const ALWAYS: Statuses = [200, 200, 200, 200];
const NEVER: Statuses = [404, 404, 404, 404];
const SINCE_25_4: Statuses = [404, 404, 200, 200];
const NEWEST: Statuses = [404, 404, 404, 200];

/** Statuses in 24.3, 25.1, 25.4, 26.3. */
const REQUESTS: readonly (readonly [path: string, sent: Sent, live: Statuses, specification: Statuses])[] = [
  ...[
    "/probes",
    "/groups",
    "/devices",
    "/sensors",
    "/channels",
    "/users",
    "/objects/100/types",
    "/feature-toggles",
  ].map((path) => [`/experimental${path}`, {}, ALWAYS, ALWAYS] as const),
  ["/sensors", {}, ALWAYS, ALWAYS],
  ["/sensors/1000/data", {}, ALWAYS, ALWAYS],
  ["/experimental/timeseries/1000/live", {}, ALWAYS, ALWAYS],
  ["/experimental/objects", {}, SINCE_25_4, SINCE_25_4],
  ["/experimental/license", {}, SINCE_25_4, SINCE_25_4],
  ["/experimental/autodiscoveryjobs", {}, NEWEST, NEWEST],
  ["/experimental/autodiscoverytasks", {}, NEWEST, NEVER],
  ["/experimental/autodiscoverytasks/701", {}, NEWEST, NEVER],
  ["/experimental/featureflags", {}, NEWEST, NEVER],
  ["/experimental/ai/status", {}, NEWEST, NEVER],
  ["/experimental/ai/analyze", POST, NEWEST, NEVER],
  ["/experimental/autodiscoverytasks/701/start", POST, [404, 404, 404, 204], NEVER],
  ["/experimental/groups/10/autodiscovery", POST, [404, 404, 404, 204], NEVER],
  ["/experimental/devices/100/autodiscovery", POST, [404, 404, 404, 204], NEVER],
  ["/experimental/sensors/1000", { method: "DELETE" }, [404, 204, 204, 204], [404, 204, 204, 204]],
  ["/experimental/groups/10/group", ADD_GROUP, [404, 404, 201, 201], [404, 404, 201, 201]],
  ["/experimental/sensor/1000", INTERVAL, [404, 404, 501, 501], NEVER],
  ["/experimental/sensor/1000", RENAME, [404, 404, 204, 204], NEVER],
  // Reaches the check for empty names.
  ["/objects/1000/clone", CLONE, [404, 404, 404, 400], NEVER],
  // Paths with other methods answer 405.
  ["/experimental/sensors/1000", RENAME, [404, 405, 405, 204], [404, 405, 204, 204]],
];

describe.each<SpellingName>(["live", "specification"])("spelling %s", (spelling) => {
  test.each(REQUESTS)("%s %j", async (path, init, live, specification) => {
    const answers = await Promise.all(
      RELEASE_NAMES.map(async (release) => {
        const { simulator } = await startService({ spelling, release });
        const headers = { Authorization: "Bearer KEY==" };
        return (await fetch(`${simulator.url}/api/v2${path}`, { ...init, headers })).status;
      }),
    );
    expect(answers).toEqual(spelling === "live" ? live : specification);
  });
});

test.each<[ReleaseName, RegExp]>([
  ["24.3", /^24\.3\./],
  ["25.1", /^25\.1\./],
  ["25.4", /^25\.4\./],
  ["26.3", /^26\.3\./],
])("release %s reports its version", async (release, version) => {
  const { send } = await startService({ release });
  const expected = expect.stringMatching(version);
  expect((await send("/version")).json).toEqual({ prtg_version: expected, appserver_version: expected });
});

test("the newest release is the default", async () => {
  const { send } = await startService();
  expect((await send("/version")).json).toMatchObject({ prtg_version: expect.stringMatching(/^26\.3\./) });
});

test.each<[ReleaseName, SpellingName, string]>([
  ["24.3", "live", "SUMMED_INFO_UP"],
  ["25.1", "live", "SUMMED_INFO_UP"],
  ["25.4", "live", "UP"],
  ["26.3", "live", "UP"],
  ["24.3", "specification", "up"],
  ["26.3", "specification", "up"],
])("release %s, spelling %s: a device is %s", async (release, spelling, status) => {
  const { send } = await startService({ release, spelling });
  expect((await send("/experimental/devices?limit=1")).json).toMatchObject([{ status }]);
  const own = status.replace("SUMMED_INFO_", "");
  expect((await send("/experimental/sensors?limit=1")).json).toMatchObject([{ status: own }]);
});
