import { pino } from "pino";
import { describe, expect, test } from "vitest";
import { digestConfig } from "../../src/app/config-digests.ts";
import { ConfigReloader, type ReloadSource } from "../../src/app/config-reloader.ts";
import type { PreparedEvents } from "../../src/app/event-outputs.ts";
import type { ConfigChange } from "../../src/app/exporter.ts";
import type { PreparedPush } from "../../src/app/otlp-push.ts";
import type { Config } from "../../src/config/load.ts";
import { EXPORTER_METRICS } from "../../src/telemetry/metric-declarations.ts";
import { emptyMetrics } from "../support/exporter-metrics.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { loadTestConfig } from "../support/test-config.ts";

const GRACE_MS = 10_000;

function configOf(settings = "", name = "hq"): Promise<Config> {
  return loadTestConfig(`servers: [{ name: ${name}, url: "https://prtg", auth: { api_key: "\${KEY}" } }]\n${settings}`);
}

async function running() {
  const clock = new ManualClock();
  const metrics = emptyMetrics();
  const done: string[] = [];
  const changes: { readonly before: string; readonly change: ConfigChange }[] = [];
  let fault: Error | undefined;
  const exporter = {
    metrics,
    reportFindings: () => undefined,
    stop: async () => void done.push("stopped"),
    change: async (before: { readonly whole: string }, change: ConfigChange) => {
      changes.push({ before: before.whole, change });
      if (fault !== undefined) throw fault;
    },
  };
  const claim = (what: string) => ({ keep: async () => undefined, release: async () => void done.push(what) });
  const first = await configOf();
  const push = { claim: claim("push discarded"), receiver: { exporter: { close: async () => undefined } } };
  const source = (config: Config, more: Partial<ReloadSource> = {}): ReloadSource => ({
    load: async () => config,
    preparePush: async () => push as unknown as PreparedPush,
    prepareEvents: async () => ({ claim: claim("events discarded") }) as unknown as PreparedEvents,
    ...more,
  });
  const logged: string[] = [];
  const log = pino({ level: "info" }, { write: (line: string) => void logged.push(line) });
  const reloader = new ConfigReloader(exporter, await digestConfig(first), { clock, log });
  const value = async (name: keyof typeof EXPORTER_METRICS.config) =>
    (await metrics.samples(EXPORTER_METRICS.config[name]))[0]?.value;
  return {
    ...{ clock, first, reloader, source, done, changes, value, logged },
    failWith: (error: Error | undefined) => {
      fault = error;
    },
  };
}

describe("ConfigReloader", () => {
  test("applies a changed configuration and records its time and hash", async () => {
    const { reloader, source, changes, done, value, clock } = await running();
    const before = await value("hash");
    const config = await configOf("stale_after: 7m");
    expect(await reloader.reload(source(config), GRACE_MS)).toEqual({ kind: "applied" });
    expect(changes.map(({ change }) => change.config)).toEqual([config]);
    expect(done).toEqual([]);
    expect(await value("reloadSuccessful")).toBe(1);
    expect(await value("reloadTime")).toBe(clock.now() / 1_000);
    expect(await value("hash")).not.toBe(before);
    expect(await reloader.reload(source(config), GRACE_MS)).toEqual({ kind: "unchanged" });
  });

  test("discards what it prepared for an unchanged configuration", async () => {
    const { reloader, source, changes, done, value } = await running();
    expect(await reloader.reload(source(await configOf("# a comment")), GRACE_MS)).toEqual({ kind: "unchanged" });
    expect(changes).toEqual([]);
    expect(done.toSorted()).toEqual(["events discarded", "push discarded"]);
    expect(await value("reloadSuccessful")).toBe(1);
  });

  test.each<[what: keyof ReloadSource, discarded: string[]]>([
    ["load", []],
    ["preparePush", []],
    ["prepareEvents", ["push discarded"]],
  ])("keeps the configuration if %s fails", async (what, discarded) => {
    const { reloader, source, first, changes, done, value } = await running();
    const time = await value("reloadTime");
    const failing = { [what]: () => Promise.reject(new Error("no such file")) };
    const result = await reloader.reload(source(await configOf("stale_after: 7m"), failing), GRACE_MS);
    expect(result).toEqual({ kind: "refused", message: expect.stringContaining("no such file") });
    expect([changes, done]).toEqual([[], discarded]);
    expect(await value("reloadSuccessful")).toBe(0);
    expect(await value("reloadTime")).toBe(time);
    expect(await reloader.reload(source(first), GRACE_MS)).toEqual({ kind: "unchanged" });
  });

  test("applies everything again after a change that failed half-way", async () => {
    const { reloader, source, first, changes, failWith } = await running();
    failWith(new Error("a bug"));
    expect(await reloader.reload(source(await configOf("stale_after: 7m")), GRACE_MS)).toMatchObject({
      kind: "refused",
    });
    failWith(undefined);
    expect(await reloader.reload(source(first), GRACE_MS)).toEqual({ kind: "applied" });
    expect(changes.map(({ before }) => before === "")).toEqual([false, true]);
  });

  test("passes the digests of the configuration before to each change", async () => {
    const { reloader, source, first, changes } = await running();
    const [second, third] = [await configOf("stale_after: 7m"), await configOf("", "branch")];
    // One after the other.
    const results = await Promise.all([second, third].map((config) => reloader.reload(source(config), GRACE_MS)));
    expect(results).toEqual([{ kind: "applied" }, { kind: "applied" }]);
    const digests = await Promise.all([first, second].map((config) => digestConfig(config)));
    expect(changes.map(({ before }) => before)).toEqual(digests.map(({ whole }) => whole));
  });

  test("refuses to reload once it stops, and discards a reload under way", async () => {
    const { reloader, source, changes, done, value, clock, logged } = await running();
    const config = await configOf("stale_after: 7m");
    await clock.advance(5_000);
    let stopped: Promise<void> | undefined;
    const load = async () => {
      stopped = reloader.stop(GRACE_MS);
      return config;
    };
    const stops = { kind: "refused", message: "the exporter stops" };
    expect(await reloader.reload(source(config, { load }), GRACE_MS)).toEqual(stops);
    await stopped;
    // It counts neither as a success nor as a failure.
    expect([changes, logged, await value("reloadTime")]).toEqual([[], [], 0]);
    expect(done.at(-1)).toBe("stopped");
    expect(await reloader.reload(source(await configOf("stale_after: 8m")), GRACE_MS)).toMatchObject({
      kind: "refused",
    });
  });
});
