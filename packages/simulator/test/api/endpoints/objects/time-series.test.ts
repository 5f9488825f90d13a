import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { SpellingName } from "../../../../src/records/spelling.ts";
import type { SimAverages, SimSensor } from "../../../../src/world/model.ts";
import { startService } from "../../../support/running-service.ts";
import { NOW, StaticWorld } from "../../../support/static-world.ts";
import { DAY, ROOT } from "../../../support/time-series.ts";

const SPELLINGS: readonly SpellingName[] = ["specification", "live"];

describe.each(SPELLINGS)("%s: time series", (spelling) => {
  const start = () => startService({ spelling, world: new StaticWorld() });

  test.each<[path: string, body: string]>([
    ["1000/live", '[["time","1000.0","1000.-4"],["2026-03-12T17:55:05Z",68.75,0]]'],
    ["1000/", '[["time","1000.0","1000.-4"],["2026-03-12T17:55:05Z",68.75,0]]'],
    ["1000/live?channels=", '[["time","1000.0","1000.-4"],["2026-03-12T17:55:05Z",68.75,0]]'],
    ["1000/live?channels=1000.-4", '[["time","1000.-4"],["2026-03-12T17:55:05Z",0]]'],
    ["1000/live?channels=1000.-4,%201000.0,,1000.-4", '[["time","1000.-4","1000.0"],["2026-03-12T17:55:05Z",0,68.75]]'],
    // Display values. Raw values are 125,000 times larger.
    ["1001/live", '[["time","1001.1","1001.2"],["2026-03-12T17:55:00Z",0.5,12]]'],
    // Scanned without a value, and never scanned.
    ["2000/live", '[["time","2000.3"],["2026-03-12T17:54:40Z"]]'],
    ["1002/live", '[["time","1002.0"],["2026-03-12T17:02:11Z"],["2026-03-12T17:54:11Z"]]'],
    ["1002/medium", '[["time","1002.0"]]'],
    // The span since 17:55 is unfinished.
    ["1000/short", '[["time","1000.0","1000.-4"]]'],
    ["1000?from=2026-03-12T17:55:05Z", '[["time","1000.0","1000.-4"],["2026-03-12T17:55:05Z",68.75,0]]'],
    ["1000?from=2026-03-12T17:55:05Z&to=&channels=1000.0", '[["time","1000.0"],["2026-03-12T17:55:05Z",68.75]]'],
    ["1000?from=2026-03-12T17:55:06Z", '[["time","1000.0","1000.-4"]]'],
    ["1000?from=2026-03-12T18:00:00Z", '[["time","1000.0","1000.-4"]]'],
    ["1000?from=2026-03-12T18:00:00Z&to=2027-01-01T00:00:00Z", '[["time","1000.0","1000.-4"]]'],
    ["1000?from=0001-01-01T00:00:00Z", '[["time","1000.0","1000.-4"]]'],
  ])("GET %s", async (path, body) => {
    const { send } = await start();
    const { status, text } = await send(`${ROOT}/${path}`);
    expect([status, text]).toEqual([200, body]);
  });
});

describe("faults of time series", () => {
  test.each<[fault: string, statuses: Record<string, number>]>([
    ["missing@/experimental/timeseries*/live", { "/live": 404, "/short": 200, "?from=2026-03-12T17:00:00Z": 200 }],
    ["missing=501@/experimental/timeseries/*/*", { "/live": 501, "/long": 501, "?from=2026-03-12T17:00:00Z": 200 }],
    ["error=503@/experimental/timeseries/1000*", { "/live": 503, "/short": 503, "?from=2026-03-12T17:00:00Z": 503 }],
  ])("%s", async (fault, statuses) => {
    const { send } = await startService({ faults: [fault] });
    for (const [path, status] of Object.entries(statuses)) {
      expect([path, (await send(`${ROOT}/1000${path}`)).status]).toEqual([path, status]);
    }
    expect((await send("/experimental/sensors")).status).toBe(200);
  });

  test('the fault "rounded" does not change time series', async () => {
    const { send } = await startService({ faults: ["rounded"] });
    const { json } = await send("/channels/1000.0");
    expect(json).toMatchObject({ last_measurement: { display_value: 69 } });
    expect((await send(`${ROOT}/1000/live?channels=1000.0`)).text).toContain('["2026-03-12T17:55:05Z",68.75]');
  });

  test("the simulator counts requests by endpoint", async () => {
    const { simulator, send } = await startService();
    for (const path of ["1000/live", "1001/short", "1000/"]) await send(`${ROOT}/${path}`);
    await send(`${ROOT}/1000?from=2026-03-12T17:00:00Z`);
    expect(simulator.requests.count({ route: `${ROOT}/{id}/{type}`, status: 200 })).toBe(3);
    expect(simulator.requests.count({ route: `${ROOT}/{id}`, status: 200 })).toBe(1);
  });
});

test("averaging a year yields to other requests and reads each part once", async () => {
  const asked: { readonly from: number; readonly to: number; readonly turn: number }[] = [];
  let turn = 0;
  class BusyWorld extends StaticWorld {
    override schedule() {
      return { first: NOW - 365 * DAY, everyMs: 10_000 };
    }
    override averages(_: SimSensor, from: number, to: number): SimAverages[] {
      asked.push({ from, to, turn });
      return [];
    }
  }
  const { send } = await startService({ world: new BusyWorld() });
  let done = false;
  const answer = send(`${ROOT}/1000/long`).finally(() => {
    done = true;
  });
  for (; !done; turn++) await nextTurn();
  expect((await answer).status).toBe(200);
  const all = asked.pop();
  expect([all?.from, all?.to]).toEqual([NOW - 365 * DAY + 1, NOW]);
  expect(asked.length).toBeGreaterThan(100);
  expect(new Set(asked.map((one) => one.turn)).size).toBe(asked.length);
  for (const [index, { from, to }] of asked.entries()) {
    if (index > 0) expect(from).toBe(asked[index - 1]?.to);
    expect([from % DAY, to % DAY]).toEqual([0, 0]);
  }
  expect(NOW - (asked.at(-1)?.to ?? 0)).toBeLessThan(4 * DAY);
});
