import { pino } from "pino";
import { describe, expect, test } from "vitest";
import type { BackfillOutcome } from "../../../src/backfill/backfill.ts";
import { concludeFiles, concludePush, progressLines } from "../../../src/cli/backfill/output.ts";
import { ManualClock } from "../../support/manual-clock.ts";

type Run = Extract<BackfillOutcome, { readonly run: unknown }>["run"];

function finished(run: Partial<Run>, shared = false): BackfillOutcome {
  const found = { samples: 200, series: 3, sensors: 2, files: ["a.om", "b c.om"], ...run };
  return { kind: "finished", run: found, shared } as BackfillOutcome;
}

const interrupted = (
  sensors: number,
  pushed?: { readonly done: number; readonly values: number },
): BackfillOutcome => ({
  kind: "interrupted",
  done: 7,
  sensors,
  pushed,
});

describe("conclusion of files", () => {
  test("counts and ends with the command for Prometheus", () => {
    const [first, second, command] = concludeFiles(finished({}), "/data/history").split("\n");
    expect(first).toBe("wrote 200 samples of up to 3 series into 2 files in /data/history");
    expect(second).toContain("on the machine with the data folder of Prometheus");
    expect(command).toMatch(/^ {2}for file in \/data\/history\/\*\.om; do promtool tsdb create-blocks-from /);
  });

  test("quotes folders and names for the shell, and names each file in a shared folder", () => {
    expect(concludeFiles(finished({}), "/it's here")).toContain("for file in '/it'\\''s here'/*.om; do");
    expect(concludeFiles(finished({}, true), "/data")).toContain("for file in /data/a.om '/data/b c.om'; do");
  });

  test("gives no command without files", () => {
    expect(concludeFiles(finished({ files: [] }), "/data")).toBe(
      "the server has no measurements of these 2 sensors in this time",
    );
  });
});

describe("conclusion of a push", () => {
  const URL = "https://otlp.example.com";
  test.each([
    { push: undefined, expected: "pushed 200 values of up to 3 series to https://otlp.example.com" },
    { push: { rejected: 0, message: "" }, expected: "pushed 200 values of up to 3 series to https://otlp.example.com" },
    {
      push: { rejected: 4, message: "" },
      expected: `pushed 200 values of up to 3 series to ${URL}\nthe receiver rejected 4 values permanently`,
    },
    {
      push: { rejected: 4, message: "too old" },
      expected: `pushed 200 values of up to 3 series to ${URL}\nthe receiver rejected 4 values permanently: too old`,
    },
  ])("reports $push", ({ push, expected }) => {
    expect(concludePush(finished({ push } as Partial<Run>), URL)).toBe(expected);
  });

  test("differs between nothing found and everything rejected", () => {
    expect(concludePush(finished({ samples: 0 }), URL)).toMatch(/^the server has no measurements of these 2 sensors/);
    const push = { rejected: 4, message: "" };
    expect(concludePush(finished({ samples: 0, push } as Partial<Run>), URL)).toMatch(/^pushed 0 values/);
  });
});

test.each([
  { outcome: interrupted(0), state: "before any sensor was read" },
  { outcome: interrupted(9), state: "7 of 9 sensors are done" },
  { outcome: interrupted(9, { done: 10, values: 50 }), state: "10 of 50 values are pushed" },
])("an interrupted run says how to continue: $state", ({ outcome, state }) => {
  const text = `interrupted: ${state}. Run the same command again to continue.`;
  expect([concludeFiles(outcome, "/data"), concludePush(outcome, "")]).toEqual([text, text]);
});

test("progress without a terminal is a line at the begin and every five seconds, with rate and time left", async () => {
  const lines: object[] = [];
  const clock = new ManualClock();
  const log = pino({ base: null, timestamp: false }, { write: (line) => void lines.push(JSON.parse(line)) });
  const progress = progressLines(log, clock);
  progress.begin("values", 1_000, 0);
  for (let second = 1; second <= 11; second++) {
    await clock.advance(1_000);
    progress.advance(10 * second + 0.5);
  }
  progress.end();
  const told = { level: 30, total: 1_000, msg: "pushing values" };
  expect(lines).toEqual([
    { ...told, done: 0 },
    { ...told, done: 50, per_second: "10", left: "1m34s" },
    { ...told, done: 100, per_second: "10", left: "1m30s" },
  ]);
});
