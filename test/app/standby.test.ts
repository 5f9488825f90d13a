import { pino } from "pino";
import { expect, test } from "vitest";
import type { ReloadSource } from "../../src/app/config-reloader.ts";
import { permitOf } from "../../src/app/context.ts";
import { StandbySource, standbyConfig } from "../../src/app/standby.ts";
import { type Config, loadConfig } from "../../src/config/load.ts";

/** Sets the sections without a default, too. */
const FILE = `
servers: [{ name: hq, url: "http://h", auth: { api_key: "\${KEY}" } }]
labels: { rename: { sensor: name } }
web: { users: { alice: { servers: [hq] } } }
events: { file: events.jsonl }
otlp: { endpoint: "http://collector:4318" }
state_dir: state
stale_after: 15m
servers_from: { files: "servers.d/*.yaml" }
`;

async function config(): Promise<Config> {
  const loaded = await loadConfig({ file: "/c.yaml", env: { KEY: "a-key" }, readFile: async () => FILE });
  return loaded.config;
}

test("a standby replica uses a configuration without servers, push, events and state", async () => {
  const whole = await config();
  const standby = standbyConfig(whole);
  expect(standby).toEqual({
    ...whole,
    servers: [],
    standbyFor: ["hq"],
    otlp: undefined,
    events: { file: undefined, structure: false },
    stateDir: undefined,
  });
  // Update this list and FILE for new sections.
  expect(Object.keys(standby).toSorted()).toEqual(
    [
      ...[
        "badServerFiles",
        "collectors",
        "deprecated",
        "events",
        "labels",
        "limits",
        "mapping",
        "metrics",
        "otlp",
        "ruleFiles",
      ],
      ...["servers", "serversFrom", "staleAfterMs", "standbyFor", "stateDir", "strictSecretFiles", "web"],
    ].toSorted(),
  );
});

function source(load: () => Promise<Config>) {
  const prepared: string[] = [];
  const inner: ReloadSource = {
    load,
    preparePush: async () => void prepared.push("push"),
    prepareEvents: async () => void prepared.push("events"),
  };
  return { prepared, inner };
}

test("a standby replica prepares nothing until it leads", async () => {
  const whole = await config();
  const { prepared, inner } = source(async () => whole);
  const standby = new StandbySource(inner, whole, pino({ level: "silent" }));
  const before = await standby.load();
  expect(before.servers).toEqual([]);
  await standby.preparePush(before);
  await standby.prepareEvents(before);
  expect(prepared).toEqual([]);
  standby.lead();
  const after = await standby.load();
  expect(after).toBe(whole);
  await standby.preparePush(after);
  await standby.prepareEvents(after);
  expect(prepared).toEqual(["push", "events"]);
});

test("a standby replica takes over with the last valid configuration and rejects invalid ones", async () => {
  const whole = await config();
  const wrong = new Error("wrong");
  const { inner } = source(() => Promise.reject(wrong));
  const standby = new StandbySource(inner, whole, pino({ level: "silent" }));
  await expect(standby.load()).rejects.toBe(wrong);
  standby.lead();
  expect(await standby.load()).toBe(whole);
  await expect(standby.load()).rejects.toBe(wrong);
});

test("only a leader sends, or a replica without an election", () => {
  const leadership = { lease: "a/b", identity: "x", holder: "x", isLeading: false };
  expect(permitOf(undefined)).toBeUndefined();
  expect(permitOf(leadership)).toThrow("is not the leader");
  expect(permitOf({ ...leadership, isLeading: true })).not.toThrow();
});
