import { describe, expect, it } from "vitest";
import { Redactor } from "../../src/errors/redactor.ts";
import { createLogger } from "../../src/telemetry/logger.ts";
import { serverRecorder } from "../../src/telemetry/recorders.ts";
import { currentRun, MAX_LINE_LENGTH, MAX_LINES, RunTrace, traced } from "../../src/telemetry/run-trace.ts";
import { emptyMetrics } from "../support/exporter-metrics.ts";
import { ManualClock } from "../support/manual-clock.ts";

const SECRET = "planted-key-of-the-run";

function tracing() {
  const clock = new ManualClock();
  const redactor = new Redactor();
  redactor.add(SECRET);
  const log = createLogger({ level: "info", redactor, output: { write: () => undefined } });
  return { clock, log, run: new RunTrace(clock), recorder: serverRecorder(emptyMetrics(), "hq") };
}

describe("RunTrace", () => {
  it("groups requests by endpoint, with their answers, bytes and times", async () => {
    const { clock, run, recorder } = tracing();
    await traced(run, async () => {
      for (const [endpoint, code] of [
        ["/b", "200"],
        ["/a", "503"],
        ["/a", "200"],
      ] as const) {
        recorder.requestStarted(endpoint);
        await clock.advance(100);
        recorder.requestFinished({ endpoint, code, durationMs: 80, bytes: 10 });
      }
    });
    expect(run.steps).toEqual([
      { name: "/b", from: 20, to: 100, ms: 80, count: 1, answers: new Map([["200", 1]]), bytes: 10 },
      {
        name: "/a",
        from: 120,
        to: 300,
        ms: 160,
        count: 2,
        answers: new Map([
          ["503", 1],
          ["200", 1],
        ]),
        bytes: 20,
      },
    ]);
  });

  it("has other work of at least one millisecond", async () => {
    const { clock, run } = tracing();
    run.addWork("writing", clock.monotonic());
    await clock.advance(5);
    run.addWork("waiting", 2);
    expect(run.steps).toMatchObject([{ name: "waiting", from: 2, to: 5, ms: 3, count: 1, answers: new Map() }]);
  });

  it("separates runs at the same time", async () => {
    const { clock, log, run, recorder } = tracing();
    const other = new RunTrace(clock);
    const work = (endpoint: string) => async () => {
      await clock.sleep(10);
      log.warn(endpoint);
      recorder.decodeProblem("value", 2);
      recorder.requestFinished({ endpoint, code: "200", durationMs: 1, bytes: 1 });
    };
    const both = Promise.all([traced(run, work("/one")), traced(other, work("/other"))]);
    await clock.advance(10);
    await both;
    log.warn("outside");
    const seen = ({ steps, lines, problems }: RunTrace) => ({
      steps: steps.map(({ name }) => name),
      lines: lines.map((line) => JSON.parse(line).msg),
      problems: [...problems],
    });
    expect(seen(run)).toEqual({ steps: ["/one"], lines: ["/one"], problems: [["value", 2]] });
    expect(seen(other)).toEqual({ steps: ["/other"], lines: ["/other"], problems: [["value", 2]] });
    expect(currentRun()).toBeUndefined();
  });

  it("keeps log lines redacted", () => {
    const { log, run } = tracing();
    traced(run, () => log.warn({ detail: SECRET }, `the server said ${SECRET}`));
    expect(run.lines).toHaveLength(1);
    expect(run.lines[0]).toContain("the server said [redacted]");
    expect(run.lines[0]).not.toContain(SECRET);
  });

  it("keeps the last lines, and the start of long ones", () => {
    const { log, run } = tracing();
    traced(run, () => {
      for (let line = 0; line <= MAX_LINES; line++) log.warn(`${line} ${"x".repeat(2 * MAX_LINE_LENGTH)}`);
    });
    expect([run.lines.length, run.droppedLines]).toEqual([MAX_LINES, 1]);
    expect(run.lines[0]).toMatch(/"msg":"1 x+…$/);
    expect(run.lines[0]).toHaveLength(MAX_LINE_LENGTH + 1);
  });

  it("ignores lines after its end", () => {
    const { log, run } = tracing();
    traced(run, () => {
      run.end = { durationMs: 1, complete: true, error: undefined };
      log.warn("late");
    });
    expect(run.lines).toEqual([]);
  });
});
