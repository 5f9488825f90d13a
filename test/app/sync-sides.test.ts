import { pino } from "pino";
import { describe, expect, test } from "vitest";
import { sidesOf, syncConfig } from "../../src/app/sync-sides.ts";
import { ServerFailureLogs } from "../../src/collectors/failure-log.ts";
import { RunRecord } from "../../src/collectors/run-record.ts";
import { ServerState } from "../../src/model/server-state.ts";
import { NODE_KINDS } from "../../src/model/tree.ts";
import type { NodeRecord } from "../../src/prtg/node-record.ts";
import type { Matcher } from "../../src/sync/matchers.ts";
import { serverRecorder } from "../../src/telemetry/recorders.ts";
import { contextAt } from "../model/build-context.ts";
import { list, ROOT, record } from "../model/build-record.ts";
import { emptyMetrics } from "../support/exporter-metrics.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { loadTestConfig } from "../support/test-config.ts";

const EVERY_MS = 30_000;
const HOST: Matcher = { name: "instance", value: "({host})(:.*)?", isRegex: true, isEqual: true };
const DEVICE: Matcher = { name: "device_id", value: "{device_id}", isRegex: true, isEqual: true };

/** Device 40 with sensors 50 and 51, and device 41 without a host and with sensor 52. */
const RECORDS: readonly NodeRecord[] = [
  record("probe", "1", ROOT, { name: "Berlin" }),
  record("device", "40", "1", { host: "192.0.2.40", status: "pausedbyuser" }),
  record("device", "41", "1", { host: undefined, status: "pausedbyschedule" }),
  record("sensor", "50", "40", { name: "Ping", status: "down" }),
  record("sensor", "51", "40", { status: "pausedbydependency", message: "new disks" }),
  record("sensor", "52", "41"),
];

/** The server `hq` with its collector of statuses, which runs on demand. */
class Site {
  readonly clock = new ManualClock();
  readonly state = new ServerState({ staleAfterMs: undefined });
  readonly #run: RunRecord;

  constructor() {
    const log = pino({ level: "silent" });
    const metrics = serverRecorder(emptyMetrics(), "hq");
    this.#run = new RunRecord("status", {
      ...{ clock: this.clock, log, failures: new ServerFailureLogs(log, this.clock) },
      metrics: (name) => metrics.collector(name),
    });
  }

  async poll(ms: number, error?: Error): Promise<void> {
    this.#run.start();
    await this.clock.advance(ms);
    if (error === undefined) {
      const ofKind = (kind: string) => list(RECORDS.filter((each) => each.kind === kind));
      const nodes = Object.fromEntries(NODE_KINDS.map((kind) => [kind, ofKind(kind)]));
      await this.state.applyTree({ nodes }, contextAt(this.clock));
    }
    this.#run.finish({ complete: true, ...(error && { error }) }, ms);
  }

  sides(changeable: readonly string[] = []) {
    const monitor = (name: string) =>
      name === "hq" ? { view: { state: this.state }, runs: () => [this.#run] } : undefined;
    return sidesOf({
      ...{ exporter: { monitor }, servers: ["hq", "removed"], changeable: new Set(changeable) },
      ...{ templates: [[DEVICE], [HOST]], everyMs: EVERY_MS, clock: this.clock },
    });
  }
}

async function polledSite(): Promise<Site> {
  const site = new Site();
  await site.poll(2_000);
  return site;
}

describe("sidesOf", () => {
  test("has no server before its first poll", () => {
    expect(new Site().sides().size).toBe(0);
  });

  test("has a server until its lists are five intervals old", async () => {
    const site = await polledSite();
    await site.clock.advance(5 * EVERY_MS);
    expect([...site.sides().keys()]).toEqual(["hq"]);
    await site.clock.advance(1);
    expect([...site.sides().keys()]).toEqual([]);
  });

  test("dates statuses to the start of the last poll that worked", async () => {
    const site = new Site();
    await site.clock.advance(1_000);
    const start = site.clock.now();
    await site.poll(20_000);
    await site.poll(10, new Error("down"));
    expect(site.sides().get("hq")?.statusAt).toBe(start);
  });

  test("changes only servers with a key of sync", async () => {
    const site = await polledSite();
    expect(site.sides().get("hq")?.isChangeable).toBe(false);
    expect(site.sides(["hq"]).get("hq")?.isChangeable).toBe(true);
  });

  test("passes on the sensors of the server", async () => {
    const side = (await polledSite()).sides().get("hq");
    expect(Array.from(side?.sensors() ?? [], ({ id }) => id)).toEqual(["50", "51", "52"]);
    expect(side?.sensor("50")).toMatchObject({ status: "down", path: "Berlin/device 40/Ping" });
    expect(side?.sensorsBelow("40")).toEqual(["50", "51"]);
    expect(side?.labelsOf("50")?.get("server")).toBe("hq");
  });

  test("fills the matchers of pauses, or leaves a list out that has no value", async () => {
    const side = (await polledSite()).sides().get("hq");
    expect(side?.pausedObjects()).toEqual([
      {
        ...{ id: "40", path: "Berlin/device 40", message: "new disks", sensors: 2 },
        matchers: [[{ ...DEVICE, value: "40" }], [{ ...HOST, value: "(192\\.0\\.2\\.40)(:.*)?" }]],
      },
      {
        ...{ id: "41", path: "Berlin/device 41", message: undefined, sensors: 1 },
        matchers: [[{ ...DEVICE, value: "41" }], undefined],
      },
    ]);
  });
});

test("syncConfig reads only lists of objects, in the interval of sync, and pushes nothing", async () => {
  const given = await loadTestConfig(`
servers: [{ name: hq, url: "https://prtg.example.com", auth: { api_key: "\${KEY}" } }]
collectors: { status: { enabled: false }, details: { enabled: true }, timeseries: { enabled: true } }
otlp: { endpoint: "http://collector:4318" }
`);
  expect(given.otlp).toBeDefined();
  const { collectors, otlp } = syncConfig(given, EVERY_MS);
  const enabled = Object.entries(collectors).filter(([, collector]) => "enabled" in collector && collector.enabled);
  expect(enabled.map(([name]) => name).sort()).toEqual(["health", "status", "tree"]);
  expect(collectors.status.schedule).toEqual({ kind: "interval", everyMs: EVERY_MS });
  expect(otlp).toBeUndefined();
});
