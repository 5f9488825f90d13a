import { pino } from "pino";
import { expect, test, vi } from "vitest";
import { SelectedApi, type SelectedApiOptions } from "../../src/selection/selected-api.ts";
import { MemoryServer } from "../collectors/memory-server.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { never } from "../support/never-aborted.ts";

test("forgets after an update of the server which filters it refuses, also if the selection changed in between", async () => {
  const server = new MemoryServer();
  const rules = { include: [], exclude: [] };
  const options: SelectedApiOptions = { api: server, rules, clock: new ManualClock(), log: pino({ level: "silent" }) };
  const api = new SelectedApi(options);
  const spies = [api.sensorReader, api.channelReader].map((reader) => vi.spyOn(reader, "forget"));
  const forgotten = async (version: string, by = api) => {
    server.versionMembers = new Map([["version", version]]);
    await by.version(never);
    return spies.map(({ mock }) => mock.calls.length);
  };
  expect(await forgotten("25.3")).toEqual([0, 0]);
  expect(await forgotten("25.3")).toEqual([0, 0]);
  expect(await forgotten("25.4")).toEqual([1, 1]);
  expect(await forgotten("25.4")).toEqual([1, 1]);
  expect(await forgotten("26.1", new SelectedApi(options, api))).toEqual([2, 2]);
});

test("passes actions on", () => {
  const server = new MemoryServer();
  const rules = { include: [], exclude: [] };
  const api = new SelectedApi({ api: server, rules, clock: new ManualClock(), log: pino({ level: "silent" }) });
  expect(api.actions).toBe(server.actions);
});
