import { type Simulator, startSimulator } from "prtg-simulator/src/simulator.ts";
import type { SimSensor, World } from "prtg-simulator/src/world/model.ts";
import { createWorld } from "prtg-simulator/src/world/world.ts";
import { onTestFinished } from "vitest";
import { Exporter } from "../../../src/app/exporter.ts";
import { openOtlpPush } from "../../../src/app/otlp-preparation.ts";
import { OtlpPush } from "../../../src/app/otlp-push.ts";
import { type Config, loadConfig } from "../../../src/config/load.ts";
import type { Clock } from "../../../src/lib/clock.ts";
import type { MeasurementRow, MeasurementSink } from "../../../src/measurements/measurement.ts";
import type { StatePush } from "../../../src/otlp/state-push.ts";
import type { ManualClock } from "../../support/manual-clock.ts";
import { TEST_KEY, testContext } from "../../support/simulated-exporter.ts";
import { REQUEST_TIMEOUT_MS, RequestClock } from "./request-clock.ts";

/** A logged request with the manual clock's time. */
export interface TimedRequest {
  /** Monotonic, milliseconds. */
  readonly elapsed: number;
  /** Wall clock, milliseconds since the epoch. */
  readonly at: number;
  readonly route: string;
  readonly url: string;
  readonly status: number | undefined;
}

export interface ManualTimeOptions {
  /** By the sensor's list index. */
  readonly intervalSeconds: (index: number) => number;
  readonly channels: string;
  readonly pushes: boolean;
  /** Milliseconds before the exporter starts. Earlier, everything is paused. */
  readonly historyMs: number;
}

/** A full exporter and simulator over HTTP, in manual time. */
export interface ManualTimeExporter {
  readonly clock: ManualClock;
  readonly simulator: Simulator;
  readonly world: World;
  readonly sensors: readonly SimSensor[];
  readonly exporter: Exporter;
  /** Start of measurements, except very old ones. Milliseconds since the epoch. */
  readonly resumedAt: number;
  /** Oldest first. */
  readonly requests: readonly TimedRequest[];
  /** Time-series requests by `2490/live`. */
  seriesRequests(): readonly (TimedRequest & { readonly sensorId: string; readonly type: string })[];
  /** In push order. */
  readonly pushed: readonly MeasurementRow[];
  /** Answers take no time. */
  pass(ms: number): Promise<void>;
}

/** The first measurement is at a whole minute. */
export async function startManualTimeExporter(options: ManualTimeOptions): Promise<ManualTimeExporter> {
  const clock = new RequestClock();
  const world = createWorld({ seed: 1, startedAt: clock.now(), evenScans: true });
  const sensors = world.list("sensor");
  for (const [index, sensor] of sensors.entries()) sensor.intervalSeconds = options.intervalSeconds(index);
  // Reading four hours per sensor would cost the most and prove nothing.
  world.pause(world.root.id, clock.now() - 5 * 3_600_000);
  const resumedAt = clock.now() - options.historyMs;
  world.resume(world.root.id, resumedAt);
  const requests: TimedRequest[] = [];
  const simulator = await startSimulator({
    world,
    clock,
    spelling: "live",
    credentials: { apiKey: TEST_KEY, username: "tester", password: "password-of-the-tests" },
    log: ({ route, url, status }) => requests.push({ elapsed: clock.monotonic(), at: clock.now(), route, url, status }),
  });
  onTestFinished(() => simulator.close());
  const { config } = await loadConfig({
    file: "test.yaml",
    env: { KEY: TEST_KEY },
    readFile:
      async () => `servers: [{ name: hq, url: "${simulator.url}", auth: { api_key: "\${KEY}" }, limits: { timeout: ${REQUEST_TIMEOUT_MS}ms } }]
collectors: { channels: { schedule: ${options.channels} } }`,
  });
  const push = options.pushes ? await recordedPush(config, clock) : undefined;
  const exporter = new Exporter(config, { ...testContext(clock), random: () => 0 }, push);
  onTestFinished(() => exporter.stop());
  return {
    clock,
    simulator,
    world,
    sensors,
    resumedAt,
    exporter,
    requests,
    pushed: push?.pushed ?? [],
    seriesRequests: () =>
      requests.flatMap((request) => {
        const [, sensorId, type] = /\/timeseries\/(\d+)\/(\w+)/.exec(request.url) ?? [];
        return sensorId === undefined || type === undefined ? [] : [{ ...request, sensorId, type }];
      }),
    pass: (ms: number) => clock.pass(ms),
  };
}

/** Records measurements and drops the state. */
class RecordedPush extends OtlpPush {
  readonly pushed: MeasurementRow[] = [];

  override createSink(): MeasurementSink {
    return {
      deliver: async (rows, { onSettled }) => {
        this.pushed.push(...rows);
        onSettled({ rows, rejectedPoints: 0, message: "" });
        return { kind: "done" };
      },
    };
  }

  override startState(): StatePush {
    return { flush: async () => undefined, stop: async () => undefined };
  }
}

async function recordedPush(config: Config, clock: Clock): Promise<RecordedPush> {
  const context = testContext(clock);
  const push = await openOtlpPush(config, context, { OTEL_EXPORTER_OTLP_ENDPOINT: "http://nowhere.example" });
  if (push === undefined) throw new Error("nothing is pushed");
  return new RecordedPush(push.options);
}
