import { pino } from "pino";
import { describe, expect, it } from "vitest";
import type { Collector, RunResult } from "../../src/collectors/collector.ts";
import { CollectorRunner } from "../../src/collectors/collector-runner.ts";
import { RunRecord } from "../../src/collectors/run-record.ts";
import type { ErrorCode } from "../../src/errors/catalogue.ts";
import { ApiError } from "../../src/prtg/api-error.ts";
import { type FinishedRun, serverRecorder } from "../../src/telemetry/recorders.ts";
import { emptyMetrics } from "../support/exporter-metrics.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { HOUR, type LogLine, MINUTE, SECOND } from "./monitored.ts";

/** A collector whose runs last `takes` milliseconds and fail with `error`, on a schedule of a minute. */
function scheduled(random = () => 0) {
  const clock = new ManualClock();
  const log: LogLine[] = [];
  const logger = pino({ level: "debug" }, { write: (line: string) => void log.push(JSON.parse(line)) });
  const setting = { takes: 0, error: undefined as unknown, complete: true };
  const begun: number[] = [];
  const finished: FinishedRun[] = [];
  const enabled: boolean[] = [];
  let skipped = 0;
  let parallel = 0;
  let most = 0;
  const collector: Collector = {
    name: "tree",
    async run(signal): Promise<RunResult> {
      begun.push(clock.monotonic());
      most = Math.max(most, ++parallel);
      try {
        await clock.sleep(setting.takes, signal);
        if (setting.error !== undefined) throw setting.error;
        return { complete: setting.complete };
      } finally {
        parallel--;
      }
    },
  };
  const record = new RunRecord("tree", {
    clock,
    log: logger,
    metrics: () => ({
      ...serverRecorder(emptyMetrics(), "hq").collector("tree"),
      enabled: (on) => enabled.push(Boolean(on)),
      finished: (run) => finished.push(run),
      skipped: () => skipped++,
    }),
  });
  const create = (everyMs = MINUTE) =>
    new CollectorRunner({
      ...{ collector, record, clock, random, log: logger, onFinished: () => undefined },
      schedule: { kind: "interval", everyMs },
    });
  const runner = create();
  return { clock, runner, create, setting, begun, finished, enabled, log, skipped: () => skipped, most: () => most };
}

function failure(code: ErrorCode, endpoint = "/experimental/devices"): ApiError {
  return new ApiError(code, `${code} happened`, { endpoint, requestId: "req-7" });
}

describe("a scheduled collector", () => {
  it("runs at once and then at every tick, without drift", async () => {
    const it = scheduled();
    it.setting.takes = 20 * SECOND;
    void it.runner.start();
    await it.clock.advance(3 * MINUTE);
    expect(it.begun).toEqual([0, MINUTE, 2 * MINUTE, 3 * MINUTE]);
    expect(it.finished[0]).toEqual({
      success: true,
      complete: true,
      durationSeconds: 20,
      finishedAt: new ManualClock().now() / 1000 + 20,
    });
    await it.runner.stop();
  });

  it("skips and counts ticks while a run is under way", async () => {
    const it = scheduled();
    it.setting.takes = 2.5 * MINUTE;
    void it.runner.start();
    await it.clock.advance(4 * MINUTE);
    expect(it.begun).toEqual([0, 3 * MINUTE]);
    expect(it.skipped()).toBe(3);
    expect(it.runner.status().skippedRuns).toBe(3);
    expect(it.most()).toBe(1);
    await it.runner.stop();
  });

  it("spreads its ticks by up to a twentieth of the period, but keeps the rhythm", async () => {
    const it = scheduled(() => 0.5);
    void it.runner.start();
    await it.clock.advance(3 * MINUTE);
    expect(it.begun).toEqual([0, MINUTE + 1500, 2 * MINUTE + 1500]);
    await it.runner.stop();
  });

  it("runs out of turn on request", async () => {
    const it = scheduled();
    it.runner.runSoon();
    await it.clock.advance(SECOND);
    expect(it.begun).toEqual([]);
    it.setting.takes = 5 * SECOND;
    void it.runner.start();
    await it.clock.advance(20 * SECOND);
    it.runner.runSoon();
    await it.clock.advance(SECOND);
    // The run under way may have looked too early: one more after it, however often it is asked for.
    it.runner.runSoon();
    it.runner.runSoon();
    await it.clock.advance(20 * SECOND);
    expect(it.begun.map((at) => at - SECOND)).toEqual([0, 20 * SECOND, 25 * SECOND]);
    expect(it.skipped()).toBe(0);
    await it.runner.stop();
  });

  it("does not make up for ticks of a machine that slept", async () => {
    const it = scheduled();
    void it.runner.start();
    await it.clock.advance(MINUTE);
    // The timer of the second tick fires ten minutes late: the loop was blocked.
    const late = it.clock.monotonic.bind(it.clock);
    it.clock.monotonic = () => late() + 10 * MINUTE;
    await it.clock.advance(MINUTE);
    it.clock.monotonic = late;
    expect(it.begun).toHaveLength(3);
    await it.runner.stop();
  });

  it("runs once where it is not started", async () => {
    const it = scheduled();
    expect(await it.runner.runOnce(new AbortController().signal)).toBe(true);
    it.setting.error = failure("API_TIMEOUT");
    expect(await it.runner.runOnce(new AbortController().signal)).toBe(false);
    expect(it.begun).toHaveLength(2);
    expect(it.clock.pending).toEqual([]);
  });
});

describe("stop", () => {
  it("breaks off a run, waits for its end and reports nothing of it", async () => {
    const it = scheduled();
    it.setting.takes = HOUR;
    const first = it.runner.start();
    await it.clock.advance(SECOND);
    await it.runner.stop();
    await first;
    expect(it.finished).toEqual([]);
    expect(it.clock.pending).toEqual([]);
    expect(it.log).toEqual([]);
    expect(it.runner.status()).toMatchObject({ state: "waiting", nextRunAt: undefined });
  });

  it("comes before a start that is late", async () => {
    const it = scheduled();
    await it.runner.stop();
    await it.runner.start();
    await it.clock.advance(HOUR);
    expect(it.begun).toEqual([]);
  });

  it("cancels a tick that was put off", async () => {
    const it = scheduled(() => 0.9);
    void it.runner.start();
    await it.clock.advance(MINUTE + SECOND);
    await it.runner.stop();
    await it.clock.advance(HOUR);
    expect(it.begun).toEqual([0]);
  });
});

describe("a run whose requests were held back", () => {
  const heldBack = (retryAfterMs: number) =>
    new ApiError("API_SUSPENDED", "held back", { endpoint: "/experimental/devices", retryAfterMs });

  it("is made up for as soon as they would pass, once", async () => {
    const it = scheduled();
    it.setting.error = heldBack(10 * SECOND);
    void it.runner.start();
    await it.clock.advance(SECOND);
    it.setting.error = undefined;
    await it.clock.advance(2 * MINUTE);
    expect(it.begun).toEqual([0, 10 * SECOND + 1, MINUTE, 2 * MINUTE]);
    await it.runner.stop();
  });

  it("waits for its next tick where that comes first", async () => {
    const it = scheduled();
    it.setting.error = heldBack(90 * SECOND);
    void it.runner.start();
    await it.clock.advance(100 * SECOND);
    expect(it.begun).toEqual([0, MINUTE]);
    await it.runner.stop();
    expect(it.clock.pending).toEqual([]);
  });

  it("is forgotten when another run comes before", async () => {
    const it = scheduled();
    it.setting.error = heldBack(30 * SECOND);
    void it.runner.start();
    await it.clock.advance(5 * SECOND);
    it.setting.error = undefined;
    it.runner.runSoon();
    await it.clock.advance(50 * SECOND);
    expect(it.begun).toEqual([0, 5 * SECOND]);
    await it.runner.stop();
  });
});

describe("a server that works again", () => {
  it("has those collectors run at once that failed", async () => {
    const it = scheduled();
    it.setting.error = failure("API_CONNECTION_FAILED");
    void it.runner.start();
    await it.clock.advance(5 * SECOND);
    it.setting.error = undefined;
    it.runner.recoverSoon();
    await it.clock.advance(5 * SECOND);
    it.runner.recoverSoon();
    await it.clock.advance(5 * SECOND);
    expect(it.begun).toEqual([0, 5 * SECOND]);
    await it.runner.stop();
  });

  it("is asked again for an endpoint that it lacked", async () => {
    const it = scheduled();
    it.setting.error = failure("API_ENDPOINT_MISSING");
    void it.runner.start();
    await it.clock.advance(5 * SECOND);
    it.setting.error = undefined;
    it.runner.recoverSoon();
    await it.clock.advance(SECOND);
    expect(it.begun).toEqual([0, 5 * SECOND]);
    expect(it.enabled).toEqual([true, false, true]);
    await it.runner.stop();
  });
});

describe("a run that fails", () => {
  it("is reported, and the schedule goes on", async () => {
    const it = scheduled();
    it.setting.error = failure("API_TIMEOUT");
    void it.runner.start();
    await it.clock.advance(MINUTE);
    expect(it.finished.map(({ success, complete }) => [success, complete])).toEqual([
      [false, false],
      [false, false],
    ]);
    expect(it.runner.status()).toMatchObject({ error: expect.stringContaining("API_TIMEOUT happened") });
    expect(it.enabled).toEqual([true]);
    await it.runner.stop();
  });

  it("is logged when it begins, when it changes, every ten minutes, and when it is over", async () => {
    const it = scheduled();
    it.setting.error = failure("API_TIMEOUT");
    void it.runner.start();
    await it.clock.advance(5 * MINUTE);
    it.setting.error = failure("API_SUSPENDED");
    await it.clock.advance(5 * MINUTE);
    it.setting.error = failure("API_CONNECTION_FAILED");
    await it.clock.advance(MINUTE);
    it.setting.error = failure("API_TIMEOUT");
    await it.clock.advance(12 * MINUTE);
    it.setting.error = undefined;
    await it.clock.advance(2 * MINUTE);
    const lines = it.log.filter(({ level }) => level > 20).map(({ level, msg }) => [level, msg.split(":")[0]]);
    expect(lines).toEqual([
      [50, "collector tree failed"],
      [40, "collector tree still fails, 11 times so far"],
      [50, "collector tree failed"],
      [40, "collector tree still fails, 22 times so far"],
      [30, "collector tree works again after 24 failures"],
    ]);
    expect(it.log[0]).toMatchObject({ code: "API_TIMEOUT", endpoint: "/experimental/devices", request_id: "req-7" });
    await it.runner.stop();
  });

  it("through an error of ours shows where", async () => {
    const it = scheduled();
    it.setting.error = new TypeError("x is undefined");
    await it.runner.runOnce(new AbortController().signal);
    expect(it.log[0]?.stack).toContain("collector-runner.test.ts");
    expect(it.runner.status().error).toBe("x is undefined");
  });
});

describe("a collector whose endpoint is missing", () => {
  it("goes off with one line, is tried ever more rarely, and comes back", async () => {
    const it = scheduled();
    it.setting.error = failure("API_ENDPOINT_MISSING");
    void it.runner.start();
    await it.clock.advance(24 * HOUR);
    expect(it.runner.status().state).toBe("off");
    // At 0, 1, 3, 7, 15, 31 and 63 minutes, then every hour.
    expect(it.begun.slice(0, 9).map((at) => at / MINUTE)).toEqual([0, 1, 3, 7, 15, 31, 63, 123, 183]);
    expect(it.begun.length).toBeLessThan(32);
    expect(it.enabled).toEqual([true, false]);
    expect(it.skipped()).toBe(0);
    expect(it.log.map(({ level, msg }) => [level, msg.split(":")[0]])).toEqual([[40, "collector tree is off"]]);
    it.setting.error = undefined;
    await it.clock.advance(HOUR);
    expect(it.enabled).toEqual([true, false, true]);
    expect(it.log.at(-1)?.msg).toContain("collector tree is on");
    const runs = it.begun.length;
    await it.clock.advance(10 * MINUTE);
    expect(it.begun).toHaveLength(runs + 10);
    await it.runner.stop();
  });

  it("stays off while the server cannot be asked, which it is at every tick", async () => {
    const it = scheduled();
    it.setting.error = failure("API_ENDPOINT_MISSING");
    void it.runner.start();
    await it.clock.advance(3 * MINUTE);
    it.setting.error = failure("API_CONNECTION_FAILED");
    await it.clock.advance(10 * MINUTE);
    expect(it.enabled).toEqual([true, false]);
    it.setting.error = undefined;
    await it.clock.advance(MINUTE);
    expect(it.enabled).toEqual([true, false, true]);
    await it.runner.stop();
  });

  it("is not run out of turn", async () => {
    const it = scheduled();
    it.setting.error = failure("API_ENDPOINT_MISSING");
    void it.runner.start();
    await it.clock.advance(SECOND);
    it.runner.runSoon();
    await it.clock.advance(SECOND);
    expect(it.begun).toHaveLength(1);
    it.runner.record.tryAgain();
    await it.clock.advance(MINUTE);
    expect(it.begun).toHaveLength(2);
    await it.runner.stop();
  });
});

describe("a runner in the place of another", () => {
  it("keeps the rhythm, and runs at once for nothing", async () => {
    const it = scheduled();
    void it.runner.start();
    await it.clock.advance(90 * SECOND);
    await it.runner.stop();
    await it.clock.advance(10 * SECOND);
    const next = it.create();
    void next.start();
    expect(next.status()).toMatchObject({ failedRuns: 0, complete: true });
    expect(next.status().nextRunAt).toBe(new ManualClock().now() + 2 * MINUTE);
    await it.clock.advance(80 * SECOND);
    expect(it.begun).toEqual([0, MINUTE, 2 * MINUTE, 3 * MINUTE]);
    await next.stop();
    expect(it.clock.pending).toEqual([]);
  });

  it("begins another rhythm where the schedule is another one", async () => {
    const it = scheduled();
    void it.runner.start();
    await it.clock.advance(30 * SECOND);
    await it.runner.stop();
    const next = it.create(40 * SECOND);
    void next.start();
    await it.clock.advance(80 * SECOND);
    expect(it.begun).toEqual([0, 70 * SECOND, 110 * SECOND]);
    await next.stop();
  });

  it("makes up for the run that was broken off, and for the tick that came in between", async () => {
    const it = scheduled();
    it.setting.takes = 20 * SECOND;
    void it.runner.start();
    await it.clock.advance(10 * SECOND);
    await it.runner.stop();
    const second = it.create();
    void second.start();
    await it.clock.advance(45 * SECOND);
    await second.stop();
    await it.clock.advance(15 * SECOND);
    const third = it.create();
    void third.start();
    await it.clock.advance(MINUTE);
    expect(it.begun).toEqual([0, 10 * SECOND, 70 * SECOND, 2 * MINUTE]);
    expect(it.finished).toHaveLength(2);
    expect(it.skipped()).toBe(0);
    await third.stop();
  });

  it("makes up for the tick that was put off", async () => {
    const it = scheduled(() => 1);
    void it.runner.start();
    await it.clock.advance(MINUTE + SECOND);
    expect(it.begun).toEqual([0]);
    await it.runner.stop();
    const next = it.create();
    void next.start();
    await it.clock.advance(0);
    expect(it.begun).toEqual([0, MINUTE + SECOND]);
    await next.stop();
  });

  it("waits on for the run that makes up for one that was held back", async () => {
    const it = scheduled();
    it.setting.error = new ApiError("API_SUSPENDED", "held back", { endpoint: "/x", retryAfterMs: 20 * SECOND });
    void it.runner.start();
    await it.clock.advance(5 * SECOND);
    await it.runner.stop();
    it.setting.error = undefined;
    const next = it.create();
    void next.start();
    await it.clock.advance(14 * SECOND);
    expect(it.begun).toEqual([0]);
    await it.clock.advance(2 * SECOND);
    expect(it.begun).toHaveLength(2);
    await next.stop();
  });

  it("does not ask before its time for an endpoint that the server lacks", async () => {
    const it = scheduled();
    it.setting.error = failure("API_ENDPOINT_MISSING");
    void it.runner.start();
    await it.clock.advance(30 * SECOND);
    await it.runner.stop();
    const next = it.create();
    void next.start();
    next.runSoon();
    await it.clock.advance(20 * SECOND);
    expect(it.begun).toEqual([0]);
    expect(next.status().state).toBe("off");
    expect(it.enabled).toEqual([true, false]);
    await next.stop();
  });
});
