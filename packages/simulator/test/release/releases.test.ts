import { describe, expect, test } from "vitest";
import type { SpellingName } from "../../src/records/spelling.ts";
import { RELEASE_NAMES, type ReleaseName } from "../../src/release/release.ts";
import { type Sent, startService } from "../support/running-service.ts";

const RENAME: Sent = { method: "PATCH", body: JSON.stringify({ basic: { name: "Renamed" } }) };
const CLONE: Sent = { method: "POST", body: JSON.stringify({ parent: "101", name: " " }) };
const INTERVAL: Sent = { method: "PATCH", body: JSON.stringify({ intervalgroup: { interval: 300 } }) };
const ADD_GROUP: Sent = { method: "POST", body: JSON.stringify({ basic: { name: "New" } }) };

interface Request {
  readonly path: string;
  readonly sent?: Sent;
  readonly live: readonly [number, number, number, number];
  /** If the specification differs. */
  readonly specification?: readonly [number, number, number, number];
}

/** 24.3, 25.1, 25.4, 26.3. */
const REQUESTS: readonly Request[] = [
  ...["probes", "groups", "devices", "sensors", "channels"].map(
    (kind): Request => ({ path: `/experimental/${kind}`, live: [200, 200, 200, 200] }),
  ),
  { path: "/sensors", live: [200, 200, 200, 200] },
  { path: "/sensors/1000/data", live: [200, 200, 200, 200] },
  { path: "/experimental/timeseries/1000/live", live: [200, 200, 200, 200] },
  { path: "/experimental/objects", live: [404, 404, 200, 200] },
  { path: "/experimental/users", live: [200, 200, 200, 200] },
  { path: "/experimental/license", live: [404, 404, 200, 200] },
  { path: "/experimental/objects/100/types", live: [200, 200, 200, 200] },
  { path: "/experimental/sensors/1000", sent: { method: "DELETE" }, live: [404, 204, 204, 204] },
  { path: "/experimental/groups/10/group", sent: ADD_GROUP, live: [404, 404, 201, 201] },
  { path: "/experimental/autodiscoveryjobs", live: [404, 404, 404, 200] },
  {
    path: "/experimental/sensor/1000",
    sent: INTERVAL,
    live: [404, 404, 501, 501],
    specification: [404, 404, 404, 404],
  },
  { path: "/experimental/sensor/1000", sent: RENAME, live: [404, 404, 204, 204], specification: [404, 404, 404, 404] },
  { path: "/experimental/autodiscoverytasks", live: [404, 404, 404, 200], specification: [404, 404, 404, 404] },
  { path: "/experimental/autodiscoverytasks/701", live: [404, 404, 404, 200], specification: [404, 404, 404, 404] },
  {
    path: "/experimental/autodiscoverytasks/701/start",
    sent: { method: "POST" },
    live: [404, 404, 404, 204],
    specification: [404, 404, 404, 404],
  },
  ...["/experimental/groups/10/autodiscovery", "/experimental/devices/100/autodiscovery"].map(
    (path): Request => ({
      path,
      sent: { method: "POST" },
      live: [404, 404, 404, 204],
      specification: [404, 404, 404, 404],
    }),
  ),
  { path: "/experimental/featureflags", live: [404, 404, 404, 200], specification: [404, 404, 404, 404] },
  { path: "/experimental/feature-toggles", live: [200, 200, 200, 200] },
  { path: "/experimental/ai/status", live: [404, 404, 404, 200], specification: [404, 404, 404, 404] },
  {
    path: "/experimental/ai/analyze",
    sent: { method: "POST" },
    live: [404, 404, 404, 200],
    specification: [404, 404, 404, 404],
  },
  // Reaches the check for empty names.
  { path: "/objects/1000/clone", sent: CLONE, live: [404, 404, 404, 400], specification: [404, 404, 404, 404] },
  // Paths with other methods answer 405.
  { path: "/experimental/sensors/1000", sent: RENAME, live: [404, 405, 405, 204], specification: [404, 405, 204, 204] },
];

describe.each<SpellingName>(["live", "specification"])("spelling %s", (spelling) => {
  test.each(REQUESTS)("$path $sent.method", async ({ path, sent, ...statuses }) => {
    const answers = await Promise.all(
      RELEASE_NAMES.map(async (release) => {
        const { simulator } = await startService({ spelling, release });
        const { bearer: _, ...init } = sent ?? {};
        const headers = { Authorization: "Bearer KEY==" };
        return (await fetch(`${simulator.url}/api/v2${path}`, { ...init, headers })).status;
      }),
    );
    expect(answers).toEqual(statuses[spelling] ?? statuses.live);
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
