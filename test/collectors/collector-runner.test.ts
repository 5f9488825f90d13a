import { pino } from "pino";
import { describe, expect, test } from "vitest";
import type { Poll } from "../../src/collectors/collector.ts";
import { CollectorRunner } from "../../src/collectors/collector-runner.ts";
import { ServerFailureLogs } from "../../src/collectors/failure-log.ts";
import { RunRecord } from "../../src/collectors/run-record.ts";
import { createTimetable } from "../../src/collectors/timetable.ts";
import type { ErrorCode } from "../../src/errors/catalogue.ts";
import { ApiError } from "../../src/prtg/api-error.ts";
import { type FinishedRun, serverRecorder } from "../../src/telemetry/recorders.ts";
import { emptyMetrics } from "../support/exporter-metrics.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { never } from "../support/never-aborted.ts";
import { HOUR, type LogLine, MINUTE, SECOND } from "./memory-pipeline.ts";

/** Lasts `takes` milliseconds and fails with `error`. */
function scheduled(jitter: () => number = () => 0) {
  const clock = new ManualClock();
  const log: LogLine[] = [];
  const logger = pino({ level: "debug" }, { write: (line: string) => void log.push(JSON.parse(line)) });
  const setting = { takes: 0, error: undefined as unknown, complete: true, heedsAbort: true };
  const begun: number[] = [];
  const finished: FinishedRun[] = [];
  const enabled: boolean[] = [];
  let skipped = 0;
  let parallel = 0;
  let most = 0;
  const poll: Poll = async (signal) => {
    begun.push(clock.monotonic());
    most = Math.max(most, ++parallel);
    try {
      await clock.sleep(setting.takes, setting.heedsAbort ? signal : undefined);
      if (setting.error !== undefined) throw setting.error;
      return { complete: setting.complete };
    } finally {
      parallel--;
    }
  };
  const record = new RunRecord("tree", {
    clock,
    log: logger,
    failures: new ServerFailureLogs(logger, clock),
    metrics: () =>
      Object.assign(serverRecorder(emptyMetrics(), "hq").collector("tree"), {
        enabled: (on: number | boolean) => enabled.push(Boolean(on)),
        finished: (run: FinishedRun) => finished.push(run),
        skipped: () => skipped++,
      }),
  });
  const create = (everyMs = MINUTE, phase = 0) =>
    new CollectorRunner({
      ...{ poll, record, clock, jitter, onResult: () => undefined },
      timetable: createTimetable({ kind: "interval", everyMs }, clock, logger, phase),
    });
  const runner = create();
  return { clock, runner, create, setting, begun, finished, enabled, log, skipped: () => skipped, most: () => most };
}

function failure(code: ErrorCode, endpoint = "/experimental/devices"): ApiError {
  return new ApiError(code, `${code} happened`, { endpoint, requestId: "req-7" });
}

describe("scheduled collector", () => {
  test("runs immediately and then at every tick, without drift", async () => {
    const subject = scheduled();
    subject.setting.takes = 20 * SECOND;
    void subject.runner.start();
    await subject.clock.advance(3 * MINUTE);
    expect(subject.begun).toEqual([0, MINUTE, 2 * MINUTE, 3 * MINUTE]);
    expect(subject.finished[0]).toEqual({
      success: true,
      complete: true,
      durationSeconds: 20,
      finishedAt: new ManualClock().now() / 1000 + 20,
    });
    await subject.runner.stop();
  });

  test("skips and counts ticks during a run", async () => {
    const subject = scheduled();
    subject.setting.takes = 2.5 * MINUTE;
    void subject.runner.start();
    await subject.clock.advance(4 * MINUTE);
    expect(subject.begun).toEqual([0, 3 * MINUTE]);
    expect(subject.skipped()).toBe(3);
    expect(subject.runner.status().skippedRuns).toBe(3);
    expect(subject.most()).toBe(1);
    await subject.runner.stop();
  });

  test("does not count a tick as skipped shortly after the start of a run", async () => {
    const subject = scheduled();
    subject.setting.takes = 20 * SECOND;
    const runner = subject.create(MINUTE, 0.75);
    void runner.start();
    await subject.clock.advance(2 * MINUTE);
    expect(subject.begun).toEqual([0, 75 * SECOND]);
    expect(subject.skipped()).toBe(0);
    await runner.stop();
  });

  test("spreads its ticks by up to a twentieth of the period and keeps the rhythm", async () => {
    const subject = scheduled(() => 0.5);
    void subject.runner.start();
    await subject.clock.advance(3 * MINUTE);
    expect(subject.begun).toEqual([0, MINUTE + 1500, 2 * MINUTE + 1500]);
    await subject.runner.stop();
  });

  test.each([
    { everyMs: SECOND, jitter: 0.5, waitMs: 50 },
    { everyMs: MINUTE, jitter: 0.1, waitMs: 500 },
    { everyMs: MINUTE, jitter: 0.99, waitMs: 3_000 },
    { everyMs: HOUR, jitter: 0.5, waitMs: 2_500 },
    { everyMs: HOUR, jitter: 0.99, waitMs: 5_000 },
  ])("waits in steps of 500 ms, at most 5 s after a tick: %j", async ({ everyMs, jitter, waitMs }) => {
    const subject = scheduled(() => jitter);
    const runner = subject.create(everyMs);
    void runner.start();
    await subject.clock.advance(everyMs + waitMs + 1);
    expect(subject.begun).toEqual([0, everyMs + waitMs]);
    await runner.stop();
  });

  test("runs at once on request", async () => {
    const subject = scheduled();
    subject.runner.runSoon();
    await subject.clock.advance(SECOND);
    expect(subject.begun).toEqual([]);
    subject.setting.takes = 5 * SECOND;
    void subject.runner.start();
    await subject.clock.advance(20 * SECOND);
    subject.runner.runSoon();
    await subject.clock.advance(SECOND);
    // The current run may have looked too early. Only one more follows.
    subject.runner.runSoon();
    subject.runner.runSoon();
    await subject.clock.advance(20 * SECOND);
    expect(subject.begun.map((at) => at - SECOND)).toEqual([0, 20 * SECOND, 25 * SECOND]);
    expect(subject.skipped()).toBe(0);
    await subject.runner.stop();
  });

  test("does not repeat ticks after the machine slept", async () => {
    const subject = scheduled();
    void subject.runner.start();
    await subject.clock.advance(MINUTE);
    // Ten minutes late, as with a blocked event loop.
    const late = subject.clock.monotonic.bind(subject.clock);
    subject.clock.monotonic = () => late() + 10 * MINUTE;
    await subject.clock.advance(MINUTE);
    subject.clock.monotonic = late;
    expect(subject.begun).toHaveLength(3);
    await subject.runner.stop();
  });

  test("runs once without a schedule", async () => {
    const subject = scheduled();
    expect(await subject.runner.runOnce(never)).toBe(true);
    subject.setting.error = failure("API_TIMEOUT");
    expect(await subject.runner.runOnce(never)).toBe(false);
    expect(subject.begun).toHaveLength(2);
    expect(subject.clock.pending).toEqual([]);
  });
});

describe("stop", () => {
  test("aborts a run, waits for its end and reports nothing", async () => {
    const subject = scheduled();
    subject.setting.takes = HOUR;
    const first = subject.runner.start();
    await subject.clock.advance(SECOND);
    await subject.runner.stop();
    await first;
    expect(subject.finished).toEqual([]);
    expect(subject.clock.pending).toEqual([]);
    expect(subject.log).toEqual([]);
    expect(subject.runner.status()).toMatchObject({ state: "waiting", nextRunAt: undefined });
  });

  test("prevents a delayed start", async () => {
    const subject = scheduled();
    await subject.runner.stop();
    await subject.runner.start();
    expect(subject.clock.pending).toEqual([]);
    await subject.clock.advance(HOUR);
    expect(subject.begun).toEqual([]);
    expect(subject.runner.record).toMatchObject({ mustRunAtStart: true, currentRun: undefined, rhythm: undefined });
  });

  test("cancels a deferred tick", async () => {
    const subject = scheduled(() => 0.9);
    void subject.runner.start();
    await subject.clock.advance(MINUTE + SECOND);
    await subject.runner.stop();
    await subject.clock.advance(HOUR);
    expect(subject.begun).toEqual([0]);
  });
});

describe("run whose requests the breaker rejected", () => {
  const heldBack = (retryAfterMs: number) =>
    new ApiError("API_SUSPENDED", "held back", { endpoint: "/experimental/devices", retryAfterMs });

  test("repeats once as soon as requests can pass", async () => {
    const subject = scheduled();
    subject.setting.error = heldBack(10 * SECOND);
    void subject.runner.start();
    await subject.clock.advance(SECOND);
    subject.setting.error = undefined;
    await subject.clock.advance(2 * MINUTE);
    expect(subject.begun).toEqual([0, 10 * SECOND + 1, MINUTE, 2 * MINUTE]);
    await subject.runner.stop();
  });

  test("waits for its next tick if that comes first", async () => {
    const subject = scheduled();
    subject.setting.error = heldBack(90 * SECOND);
    void subject.runner.start();
    await subject.clock.advance(100 * SECOND);
    expect(subject.begun).toEqual([0, MINUTE]);
    await subject.runner.stop();
    expect(subject.clock.pending).toEqual([]);
  });

  test("waits for a tick at the same time, which comes a little later", async () => {
    const subject = scheduled(() => 0.5);
    subject.setting.error = heldBack(MINUTE);
    void subject.runner.start();
    await subject.clock.advance(MINUTE + 2 * SECOND);
    expect(subject.begun).toEqual([0, MINUTE + 1500]);
    await subject.runner.stop();
  });

  test("is not repeated without a schedule", async () => {
    const subject = scheduled();
    subject.setting.error = heldBack(SECOND);
    expect(await subject.runner.runOnce(never)).toBe(false);
    expect(subject.clock.pending).toEqual([]);
  });

  test("loses its repetition if another run comes before", async () => {
    const subject = scheduled();
    subject.setting.error = heldBack(30 * SECOND);
    void subject.runner.start();
    await subject.clock.advance(5 * SECOND);
    subject.setting.error = undefined;
    subject.runner.runSoon();
    await subject.clock.advance(50 * SECOND);
    expect(subject.begun).toEqual([0, 5 * SECOND]);
    await subject.runner.stop();
  });
});

describe("recovered server", () => {
  test("triggers collectors that failed", async () => {
    const subject = scheduled();
    subject.setting.error = failure("API_CONNECTION_FAILED");
    void subject.runner.start();
    await subject.clock.advance(5 * SECOND);
    subject.setting.error = undefined;
    subject.runner.recoverSoon();
    await subject.clock.advance(5 * SECOND);
    subject.runner.recoverSoon();
    await subject.clock.advance(5 * SECOND);
    expect(subject.begun).toEqual([0, 5 * SECOND]);
    await subject.runner.stop();
  });

  test("gets a new request for a missing endpoint", async () => {
    const subject = scheduled();
    subject.setting.error = failure("API_ENDPOINT_MISSING");
    void subject.runner.start();
    await subject.clock.advance(5 * SECOND);
    subject.setting.error = undefined;
    subject.runner.recoverSoon();
    await subject.clock.advance(SECOND);
    expect(subject.begun).toEqual([0, 5 * SECOND]);
    expect(subject.enabled).toEqual([true, false, true]);
    await subject.runner.stop();
  });
});

describe("failing run", () => {
  test("counts as failed, and the schedule continues", async () => {
    const subject = scheduled();
    subject.setting.error = failure("API_TIMEOUT");
    void subject.runner.start();
    await subject.clock.advance(MINUTE);
    expect(subject.finished.map(({ success, complete }) => [success, complete])).toEqual([
      [false, false],
      [false, false],
    ]);
    expect(subject.runner.status()).toMatchObject({ error: expect.stringContaining("API_TIMEOUT happened") });
    expect(subject.enabled).toEqual([true]);
    await subject.runner.stop();
  });

  test("logs its start, each change, a reminder every ten minutes, and its end", async () => {
    const subject = scheduled();
    subject.setting.error = failure("API_TIMEOUT");
    void subject.runner.start();
    await subject.clock.advance(5 * MINUTE);
    subject.setting.error = failure("API_SUSPENDED");
    await subject.clock.advance(5 * MINUTE);
    subject.setting.error = failure("API_SERVER_ERROR");
    await subject.clock.advance(MINUTE);
    subject.setting.error = failure("API_TIMEOUT");
    await subject.clock.advance(12 * MINUTE);
    subject.setting.error = undefined;
    await subject.clock.advance(2 * MINUTE);
    const lines = subject.log.filter(({ level }) => level > 20).map(({ level, msg }) => [level, msg.split(":")[0]]);
    expect(lines).toEqual([
      [50, "collector tree failed"],
      [40, "collector tree still fails, 11 times so far"],
      [50, "collector tree failed"],
      [40, "collector tree still fails, 22 times so far"],
      [30, "collector tree works again after 24 failures"],
    ]);
    expect(subject.log[0]).toMatchObject({
      code: "API_TIMEOUT",
      endpoint: "/experimental/devices",
      request_id: "req-7",
    });
    await subject.runner.stop();
  });

  test("logs a stack trace for an internal error", async () => {
    const subject = scheduled();
    subject.setting.error = new TypeError("x is undefined");
    await subject.runner.runOnce(never);
    expect(subject.log[0]?.stack).toContain("collector-runner.test.ts");
    expect(subject.runner.status().error).toBe("x is undefined");
  });
});

describe("collector whose endpoint is missing", () => {
  test("turns off with one log line, retries ever more rarely, and returns", async () => {
    const subject = scheduled();
    subject.setting.error = failure("API_ENDPOINT_MISSING");
    void subject.runner.start();
    await subject.clock.advance(24 * HOUR);
    expect(subject.runner.status().state).toBe("off");
    expect(subject.begun.slice(0, 9).map((at) => at / MINUTE)).toEqual([0, 1, 3, 7, 15, 31, 63, 123, 183]);
    expect(subject.begun.length).toBeLessThan(32);
    expect(subject.enabled).toEqual([true, false]);
    expect(subject.skipped()).toBe(0);
    expect(subject.log.map(({ level, msg }) => [level, msg.split(":")[0]])).toEqual([[40, "collector tree is off"]]);
    subject.setting.error = undefined;
    await subject.clock.advance(HOUR);
    expect(subject.enabled).toEqual([true, false, true]);
    expect(subject.log.at(-1)?.msg).toContain("collector tree is on");
    const runs = subject.begun.length;
    await subject.clock.advance(10 * MINUTE);
    expect(subject.begun).toHaveLength(runs + 10);
    await subject.runner.stop();
  });

  test("stays off during an outage, but asks at every tick", async () => {
    const subject = scheduled();
    subject.setting.error = failure("API_ENDPOINT_MISSING");
    void subject.runner.start();
    await subject.clock.advance(3 * MINUTE);
    subject.setting.error = failure("API_CONNECTION_FAILED");
    await subject.clock.advance(10 * MINUTE);
    expect(subject.enabled).toEqual([true, false]);
    subject.setting.error = undefined;
    await subject.clock.advance(MINUTE);
    expect(subject.enabled).toEqual([true, false, true]);
    await subject.runner.stop();
  });

  test("ignores requests to run", async () => {
    const subject = scheduled();
    subject.setting.error = failure("API_ENDPOINT_MISSING");
    void subject.runner.start();
    await subject.clock.advance(SECOND);
    subject.runner.runSoon();
    await subject.clock.advance(SECOND);
    expect(subject.begun).toHaveLength(1);
    subject.runner.record.tryAgain();
    await subject.clock.advance(MINUTE);
    expect(subject.begun).toHaveLength(2);
    await subject.runner.stop();
  });
});

describe("replacement runner", () => {
  test("keeps the rhythm and starts no additional run", async () => {
    const subject = scheduled();
    void subject.runner.start();
    await subject.clock.advance(90 * SECOND);
    await subject.runner.stop();
    await subject.clock.advance(10 * SECOND);
    const next = subject.create();
    void next.start();
    expect(next.status()).toMatchObject({ failedRuns: 0, complete: true });
    expect(next.status().nextRunAt).toBe(new ManualClock().now() + 2 * MINUTE);
    await subject.clock.advance(80 * SECOND);
    expect(subject.begun).toEqual([0, MINUTE, 2 * MINUTE, 3 * MINUTE]);
    await next.stop();
    expect(subject.clock.pending).toEqual([]);
  });

  test("waits for its turn and reports the next run", async () => {
    const { clock, runner, create, begun } = scheduled();
    await runner.start();
    await clock.advance(10 * SECOND);
    await runner.stop();
    runner.record.mustRunAtStart = true;
    const next = create();
    expect(next.status().nextRunAt).toBeUndefined();
    next.resumeTimetable();
    expect(next.status().nextRunAt).toBe(clock.now() + 50 * SECOND);
    await clock.advance(50 * SECOND);
    expect(begun).toEqual([0]);
    await next.start();
    expect(begun).toEqual([0, MINUTE]);
    await clock.advance(MINUTE);
    expect(begun).toEqual([0, MINUTE, 2 * MINUTE]);
  });

  test("starts a new rhythm with another schedule", async () => {
    const subject = scheduled();
    void subject.runner.start();
    await subject.clock.advance(30 * SECOND);
    await subject.runner.stop();
    const next = subject.create(40 * SECOND);
    void next.start();
    await subject.clock.advance(80 * SECOND);
    expect(subject.begun).toEqual([0, 70 * SECOND, 110 * SECOND]);
    await next.stop();
  });

  test("repeats an aborted run and a missed tick", async () => {
    const subject = scheduled();
    subject.setting.takes = 20 * SECOND;
    void subject.runner.start();
    await subject.clock.advance(10 * SECOND);
    await subject.runner.stop();
    const second = subject.create();
    void second.start();
    await subject.clock.advance(45 * SECOND);
    await second.stop();
    await subject.clock.advance(15 * SECOND);
    const third = subject.create();
    void third.start();
    await subject.clock.advance(MINUTE);
    expect(subject.begun).toEqual([0, 10 * SECOND, 70 * SECOND, 2 * MINUTE]);
    expect(subject.finished).toHaveLength(2);
    expect(subject.skipped()).toBe(0);
    await third.stop();
  });

  test("repeats a requested run that came during the stop", async () => {
    const { clock, runner, create, setting, begun } = scheduled();
    Object.assign(setting, { takes: 10 * SECOND, heedsAbort: false });
    void runner.start();
    await clock.advance(5 * SECOND);
    const stopped = runner.stop();
    runner.runSoon();
    await clock.advance(5 * SECOND);
    await stopped;
    expect(runner.record.worked).toBe(true);
    void create().start();
    await clock.advance(0);
    expect(begun).toEqual([0, 10 * SECOND]);
  });

  test("repeats a deferred tick", async () => {
    const subject = scheduled(() => 1);
    void subject.runner.start();
    await subject.clock.advance(MINUTE + SECOND);
    expect(subject.begun).toEqual([0]);
    await subject.runner.stop();
    const next = subject.create();
    void next.start();
    await subject.clock.advance(0);
    expect(subject.begun).toEqual([0, MINUTE + SECOND]);
    await next.stop();
  });

  test("waits to repeat a rejected run", async () => {
    const subject = scheduled();
    subject.setting.error = new ApiError("API_SUSPENDED", "held back", { endpoint: "/x", retryAfterMs: 20 * SECOND });
    void subject.runner.start();
    await subject.clock.advance(5 * SECOND);
    await subject.runner.stop();
    subject.setting.error = undefined;
    const next = subject.create();
    void next.start();
    await subject.clock.advance(14 * SECOND);
    expect(subject.begun).toEqual([0]);
    await subject.clock.advance(2 * SECOND);
    expect(subject.begun).toHaveLength(2);
    await next.stop();
  });

  test("keeps the delay for a missing endpoint", async () => {
    const subject = scheduled();
    subject.setting.error = failure("API_ENDPOINT_MISSING");
    void subject.runner.start();
    await subject.clock.advance(30 * SECOND);
    await subject.runner.stop();
    const next = subject.create();
    void next.start();
    next.runSoon();
    await subject.clock.advance(20 * SECOND);
    expect(subject.begun).toEqual([0]);
    expect(next.status().state).toBe("off");
    expect(subject.enabled).toEqual([true, false]);
    await next.stop();
  });
});
