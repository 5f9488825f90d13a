import { pino } from "pino";
import { describe, expect, test } from "vitest";
import { judgeClock, Pace } from "../../../src/cli/check/check-pace.ts";
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
  timeseries: { ...every(60_000), mode: "auto" },
} satisfies Config["collectors"];

function pace(): Pace {
  return new Pace({ collectors }, TIMEOUT_MS, context);
}

describe("speed", () => {
  test("is all right where runs take a small part of their periods: the tightest is named", () => {
    const it = pace();
    it.took(["health"], 100);
    it.took(["tree", "status"], 2_000);
    it.took(["status"], 1_000);
    it.took(["channels"], 4_000);
    expect(it.judge(3_000)).toEqual({ text: "at most 3.0 s of the 30 s that a run may take (status)" });
  });

  test("is a finding where a run takes longer than its period: the parts of a run count together", () => {
    const it = pace();
    it.took(["tree", "status"], 3_000);
    for (let list = 0; list < 5; list++) it.took(["channels"], 14_600);
    expect(it.judge(10_900)).toEqual({
      verdict: "warning",
      text: "a run of channels takes 73 s of 60 s: runs are skipped",
      remedy: expect.stringContaining("collectors.channels.schedule"),
    });
  });

  test("is a finding where little is missing to that", () => {
    const it = pace();
    it.took(["status"], 15_000);
    it.took(["timeseries"], 59_000);
    expect(it.judge(1_000)).toMatchObject({ text: expect.stringMatching(/^a run of status .* when it gets slower$/) });
  });

  test("is a finding where single answers come near the timeout", () => {
    const it = pace();
    it.took(["tree"], 20_000);
    expect(it.judge(16_000)).toMatchObject({ verdict: "warning", remedy: expect.stringContaining("limits.timeout") });
    expect(it.judge(14_000)).not.toHaveProperty("verdict");
  });

  test("knows the period of a cron expression", () => {
    const cron = { ...collectors.channels, schedule: { kind: "cron", expression: "*/20 * * * * *" } } as const;
    const it = new Pace({ collectors: { ...collectors, channels: cron } }, TIMEOUT_MS, context);
    it.took(["channels"], 25_000);
    expect(it.judge(0).text).toBe("a run of channels takes 25 s of 20 s: runs are skipped");
  });
});

test.each([
  { offsetMs: 0, verdict: undefined },
  { offsetMs: -10_000, verdict: undefined },
  { offsetMs: 10_500, verdict: "warning", text: "11 s ahead of ours" },
  { offsetMs: -7_200_000, verdict: "warning", text: "7200 s behind ours" },
])("a clock that is off by $offsetMs ms", ({ offsetMs, verdict, text = "differs from ours" }) => {
  const judged = judgeClock(offsetMs);
  expect(judged.verdict).toBe(verdict);
  expect(judged.text).toContain(text);
});
