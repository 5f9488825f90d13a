import { pino } from "pino";
import { describe, expect, test } from "vitest";
import type { PlannedStep } from "../../../src/cli/check/plan.ts";
import {
  createRunDurations,
  createServerCheck,
  judgeClock,
  type RunDurations,
} from "../../../src/cli/check/server-check.ts";
import { type Finding, ok, warning } from "../../../src/cli/check/step.ts";
import type { Config } from "../../../src/config/load.ts";
import type { ErrorCode } from "../../../src/errors/catalogue.ts";
import { ExporterError } from "../../../src/errors/exporter-error.ts";
import { type Clock, systemClock } from "../../../src/lib/clock.ts";
import { ApiError } from "../../../src/prtg/api-error.ts";
import { load } from "../../config/support.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { testContext } from "../../support/simulated-exporter.ts";

const URL = "https://prtg.example.com:1616";

type Part = Partial<PlannedStep> & Pick<PlannedStep, "run">;

/** Steps that send no requests. */
async function checked(
  steps: Readonly<Record<string, Part>>,
  signal = new AbortController().signal,
  clock: Clock = systemClock,
) {
  const { config } = await load(`servers: [{ name: hq, url: "${URL}", auth: { api_key_file: /run/secrets/key } }]`);
  const [server] = config.servers;
  if (server === undefined) throw new Error("no server");
  const planned = Object.entries(steps).map(([subject, step]) => ({ subject, collectors: [], ...step }));
  const check = createServerCheck(server, planned, config, testContext(clock), signal);
  const findings: Finding[] = [];
  for await (const finding of check.start()) findings.push(finding);
  return { findings, subjects: check.subjects, of: (name: string) => findings.find((each) => each.subject === name) };
}

const passes: Part = { run: async () => ok("fine") };
const fails = (code: ErrorCode, more: Partial<PlannedStep> = {}): Part => ({
  ...more,
  run: () => Promise.reject(new ApiError(code, "it failed", { endpoint: "/x", remedy: "Mend it." })),
});

describe("check of a server", () => {
  test("has a finding for each step, the clock and the speed", async () => {
    const { findings, subjects } = await checked({
      connection: passes,
      login: { run: async () => warning("odd", "Do.") },
    });
    expect(findings).toMatchObject([
      { server: "hq", subject: "connection", status: "ok", text: "fine" },
      { server: "hq", subject: "login", status: "warning", text: "odd", remedy: "Do." },
      { server: "hq", subject: "clock", status: "ok", text: expect.stringContaining("differ by") },
      { server: "hq", subject: "speed", status: "ok", text: "nothing was measured" },
    ]);
    expect(subjects).toEqual(["connection", "login", "clock", "speed"]);
  });

  test("measures the speed of collectors by the time of their steps", async () => {
    const clock = new ManualClock();
    const takes = (seconds: number): Part => ({
      collectors: ["channels"],
      run: async () => {
        clock.skip(seconds * 1_000);
        return ok("fine");
      },
    });
    clock.skip(100_000);
    const { of } = await checked({ channels: takes(2), names: takes(1) }, undefined, clock);
    expect(of("speed")?.text).toMatch(/^at most 3\.0 s of the \d+ s that a run may take \(channels\)$/);
  });

  test("ends without a connection, and names the address", async () => {
    const { findings } = await checked({ connection: fails("API_CONNECTION_FAILED"), login: passes, sensors: passes });
    expect(findings).toMatchObject([
      {
        subject: "connection",
        status: "FAILED",
        text: expect.stringMatching(`^${URL}: it failed`),
        remedy: "Mend it.",
      },
      { subject: "the rest", status: "skipped", text: "not tested: login, sensors" },
    ]);
  });

  test.each<ErrorCode>([
    ...(["API_TIMEOUT", "API_REDIRECTED", "API_WRONG_PORT", "API_UNAUTHORIZED", "API_LOGIN_FAILED"] as const),
    ...(["API_LICENSE_INACTIVE", "API_SUSPENDED", "SECRET_UNREADABLE"] as const),
  ])("ends after %s, which the next request would meet too", async (code) => {
    const { findings } = await checked({ connection: passes, login: fails(code), sensors: passes });
    expect(findings.slice(1)).toMatchObject([
      { subject: "login", status: "FAILED" },
      { subject: "the rest", status: "skipped", text: "not tested: sensors" },
    ]);
  });

  test("has no rest after the last step", async () => {
    const { findings } = await checked({ connection: passes, sensors: fails("API_TIMEOUT") });
    expect(findings.map(({ subject }) => subject)).toEqual(["connection", "sensors"]);
  });

  test.each<ErrorCode>(["API_FORBIDDEN", "API_SERVER_ERROR", "API_VALUES_UNREADABLE"])(
    "continues after %s",
    async (code) => {
      const { findings, of } = await checked({ sensors: fails(code), channels: passes });
      expect(of("sensors")).toMatchObject({ status: "FAILED", remedy: "Mend it." });
      expect(findings.map(({ subject }) => subject)).toEqual(["sensors", "channels", "clock", "speed"]);
    },
  );

  test("continues after a bug of the exporter, without a remedy", async () => {
    const bug: Part = { without: "x is missing", run: () => Promise.reject(new TypeError("a bug")) };
    const { findings, of } = await checked({ limits: bug, details: passes });
    expect(of("limits")).toEqual({ server: "hq", subject: "limits", status: "FAILED", text: expect.any(String) });
    expect(findings).toHaveLength(4);
  });

  test("shows the request ID, with which an administrator finds the request in the log of the server", async () => {
    const error = new ApiError("API_FORBIDDEN", "it failed", { endpoint: "/x", requestId: "r-17" });
    const { of } = await checked({ sensors: { run: () => Promise.reject(error) } });
    expect(of("sensors")?.text).toMatch(/ \(request ID r-17\)$/);
  });
});

describe("failure of something that serve can do without", () => {
  const without = { without: "limits are missing" };

  test("is a warning that names what is missing", async () => {
    const { of } = await checked({ limits: fails("API_FORBIDDEN", without) });
    expect(of("limits")).toMatchObject({
      ...{ status: "warning", remedy: "Mend it." },
      text: expect.stringMatching(/^it failed.*: limits are missing$/),
    });
    expect(
      (await checked({ limits: fails("API_FORBIDDEN", { ...without, remedy: "Nothing." }) })).of("limits"),
    ).toMatchObject({ status: "warning", remedy: "Nothing." });
  });

  test("follows the collector if the step has a reading", async () => {
    const optional = await checked({ version: fails("API_NOT_FOUND", { reading: "version" }) });
    expect(optional.of("version")?.status).toBe("warning");
    const needed = await checked({ sensors: fails("API_FORBIDDEN", { reading: "sensor" }) });
    expect(needed.of("sensors")?.status).toBe("FAILED");
  });

  test.each<ErrorCode>([
    ...(["API_UNAUTHORIZED", "API_LOGIN_FAILED", "API_REDIRECTED", "API_WRONG_PORT", "SECRET_UNREADABLE"] as const),
  ])("is no warning after %s, because the credentials are wrong", async (code) => {
    expect((await checked({ limits: fails(code, without) })).of("limits")?.status).toBe("FAILED");
  });

  test("does not end the check, even if it would otherwise", async () => {
    const { findings } = await checked({ limits: fails("API_TIMEOUT", without), details: passes });
    expect(findings.map(({ status }) => status)).toEqual(["warning", "ok", "ok", "ok"]);
  });
});

test("an interrupted check has no more findings", async () => {
  const interruption = new AbortController();
  const steps = {
    connection: passes,
    login: {
      run: async () => {
        interruption.abort();
        throw new ExporterError("API_TIMEOUT", "aborted");
      },
    },
    sensors: passes,
  };
  const { findings } = await checked(steps, interruption.signal);
  expect(findings.map(({ subject }) => subject)).toEqual(["connection"]);
});

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
  return createRunDurations({ collectors }, TIMEOUT_MS, context);
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
    const subject = createRunDurations({ collectors: { ...collectors, channels: cron } }, TIMEOUT_MS, context);
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
