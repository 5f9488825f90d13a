import { pino } from "pino";
import { describe, expect, test } from "vitest";
import { judgeClock, RunDurations } from "../../../src/cli/check/run-durations.ts";
import type { Config } from "../../../src/config/load.ts";
import { ManualClock } from "../../support/manual-clock.ts";

const TIMEOUT_MS = 30_000;
const context = { clock: new ManualClock(), log: pino({ level: "silent" }) };
const every = (everyMs: number) => ({ enabled: true, schedule: { kind: "interval", everyMs } }) as const;
const collectors = {
  health: every(15_000),
  tree: every(300_000),
  status: every(30_000),
  channels: every(60_000),
  limits: every(300_000),
  details: every(900_000),
  timeseries: { ...every(60_000), mode: "auto" },
} satisfies Config["collectors"];

function durations(): RunDurations {
  return new RunDurations({ collectors }, TIMEOUT_MS, context);
}

describe("speed", () => {
  test("is ok if runs take a small part of their period, and names the slowest", () => {
    const subject = durations();
    subject.took(["health"], 100);
    subject.took(["tree", "status"], 2_000);
    subject.took(["status"], 1_000);
    subject.took(["channels"], 4_000);
    expect(subject.judge(3_000)).toEqual({ text: "at most 3.0 s of the 30 s that a run may take (status)" });
  });

  test("is a finding if a run exceeds its period with all of its parts", () => {
    const subject = durations();
    subject.took(["tree", "status"], 3_000);
    for (let list = 0; list < 5; list++) subject.took(["channels"], 14_600);
    expect(subject.judge(10_900)).toEqual({
      status: "warning",
      text: "a run of channels takes 73 s of 60 s: runs are skipped",
      remedy: expect.stringContaining("collectors.channels.schedule"),
    });
  });

  test("is a finding if a run nearly fills its period", () => {
    const subject = durations();
    subject.took(["status"], 15_000);
    subject.took(["timeseries"], 59_000);
    expect(subject.judge(1_000)).toMatchObject({
      text: expect.stringMatching(/^a run of status .* if it gets slower$/),
    });
  });

  test("is a finding if an answer nearly reaches the timeout", () => {
    const subject = durations();
    subject.took(["tree"], 20_000);
    expect(subject.judge(16_000)).toMatchObject({
      status: "warning",
      remedy: expect.stringContaining("limits.timeout"),
    });
    expect(subject.judge(14_000)).not.toHaveProperty("status");
  });

  test("knows the period of a cron expression", () => {
    const cron = { ...collectors.channels, schedule: { kind: "cron", expression: "*/20 * * * * *" } } as const;
    const subject = new RunDurations({ collectors: { ...collectors, channels: cron } }, TIMEOUT_MS, context);
    subject.took(["channels"], 25_000);
    expect(subject.judge(0).text).toBe("a run of channels takes 25 s of 20 s: runs are skipped");
  });
});

test.each([
  { offsetMs: 0, status: undefined },
  { offsetMs: -10_000, status: undefined },
  { offsetMs: 10_500, status: "warning", text: "server clock is 11 s ahead" },
  { offsetMs: -7_200_000, status: "warning", text: "server clock is 7200 s behind" },
])(
  "the check reports a clock that is off by $offsetMs ms",
  ({ offsetMs, status, text = "clocks of server and exporter differ by" }) => {
    const judged = judgeClock(offsetMs);
    expect(judged.status).toBe(status);
    expect(judged.text).toContain(text);
  },
);
