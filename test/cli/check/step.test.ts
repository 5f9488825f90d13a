import { describe, expect, test } from "vitest";
import { checkRecorder, concludeFindings, type Finding, findingsTable } from "../../../src/cli/check/step.ts";
import { EXPORTER_METRICS } from "../../../src/telemetry/metric-declarations.ts";
import { emptyMetrics } from "../../support/exporter-metrics.ts";

const OK: Finding = { server: "hq", subject: "login", status: "ok", text: "accepted" };
const WARNING: Finding = { ...OK, status: "warning", text: "almost", remedy: "Nothing." };
const FAILED: Finding = { ...OK, subject: "sensors", status: "FAILED", text: "none [API_FORBIDDEN]", remedy: "Ask." };

describe("table of findings", () => {
  test("has one line per finding, fitting columns and the remedy after an arrow", () => {
    const format = findingsTable(["hq", "branch"], ["login", "sensors"]);
    expect([OK, WARNING, FAILED, { ...OK, server: "branch" }].map(format)).toEqual([
      "hq      login    ok       accepted",
      "hq      login    warning  almost -> Nothing.",
      "hq      sensors  FAILED   none [API_FORBIDDEN] -> Ask.",
      "branch  login    ok       accepted",
    ]);
  });

  test("escapes line ends and control characters", () => {
    const hostile = "a\nb\u001b[2J\u0007\tc\u009b31m";
    const format = findingsTable([hostile], ["login"]);
    const line = format({ server: hostile, subject: "login", status: "FAILED", text: hostile, remedy: hostile });
    expect(line).toBe("a b [2J c 31m  login  FAILED   a b [2J c 31m -> a b [2J c 31m");
  });
});

describe("conclusion", () => {
  test.each([
    [[OK, OK], "ok: everything that serve needs works"],
    [[OK, WARNING], "ok: everything that serve needs works, with the warnings above"],
    [[OK, WARNING, FAILED], "FAILED: hq (sensors)"],
    [
      [FAILED, { ...FAILED, subject: "channels" }, { ...FAILED, server: "branch\n2" }],
      "FAILED: hq (sensors, channels); branch 2 (sensors)",
    ],
  ])("reports %j as %s", (findings, text) => {
    expect(concludeFindings(findings)).toBe(text);
  });
});

test("the conclusion names sync if it was tested", () => {
  expect(concludeFindings([OK], true)).toBe("ok: everything that serve and sync need works");
});

describe("recorder of a check", () => {
  test("counts problems of answers since the last call, and passes them on", async () => {
    const metrics = emptyMetrics();
    const recorder = checkRecorder(metrics, "hq");
    expect(recorder.takeProblems()).toEqual(new Map());
    recorder.decodeProblem("value", 2);
    recorder.decodeProblem("status", 1);
    recorder.decodeProblem("value", 3);
    const expected = { value: 5, status: 1 };
    expect(Object.fromEntries(recorder.takeProblems())).toEqual(expected);
    expect(recorder.takeProblems()).toEqual(new Map());
    const samples = await metrics.samples(EXPORTER_METRICS.objects.decodeProblem);
    const counted = samples.filter(({ value }) => value > 0).map(({ labels, value }) => [labels.problem, value]);
    expect(Object.fromEntries(counted)).toEqual(expected);
  });

  test("knows the slowest request, and passes all on", async () => {
    const metrics = emptyMetrics();
    const recorder = checkRecorder(metrics, "hq");
    expect(recorder.slowestMs()).toBe(0);
    for (const durationMs of [20, 300, 10]) {
      recorder.requestFinished({ endpoint: "/version", code: "200", durationMs, bytes: 1 });
    }
    expect(recorder.slowestMs()).toBe(300);
    const samples = await metrics.samples(EXPORTER_METRICS.server.requests);
    expect(samples.filter(({ value }) => value > 0).map(({ value }) => value)).toEqual([3]);
  });
});
