import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { ServerFailureLogs } from "../../src/collectors/failure-log.ts";
import type { ErrorCode } from "../../src/errors/catalogue.ts";
import { ApiError, type ApiErrorDetails } from "../../src/prtg/api-error.ts";
import { ManualClock } from "../support/manual-clock.ts";
import type { LogLine } from "./memory-pipeline.ts";

const MINUTE = 60_000;

function logs() {
  const clock = new ManualClock();
  const lines: LogLine[] = [];
  const log = pino({ level: "info" }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const failures = new ServerFailureLogs(log, clock);
  const texts = () => lines.splice(0).map(({ msg }) => msg);
  return {
    clock,
    lines,
    texts,
    health: failures.open("health"),
    tree: failures.open("tree"),
    status: failures.open("status"),
  };
}

function failure(code: ErrorCode, endpoint: string, details: Partial<ApiErrorDetails> = {}): ApiError {
  return new ApiError(code, `${endpoint}: no luck`, { endpoint, remedy: "Try it.", ...details });
}

describe("ServerFailureLogs", () => {
  it.each(["API_UNAUTHORIZED", "API_RATE_LIMITED"] as const)("logs one line for %s, and one at its end", (code) => {
    const { texts, lines, health, tree, status } = logs();
    tree.recordFailure(failure(code, "/experimental/sensors"));
    status.recordFailure(failure(code, "/experimental/devices"));
    health.recordSuccess(false);
    expect(lines[0]).toMatchObject({ code, endpoint: "/experimental/sensors" });
    expect(texts()).toEqual(["reading the server failed: no luck. Try it."]);
    status.recordSuccess();
    tree.recordSuccess();
    expect(texts()).toEqual(["reading the server works again after 2 failures"]);
  });

  it("ends a failure of the server if another reading works", () => {
    const { texts, tree, status } = logs();
    tree.recordFailure(failure("SECRET_EXPOSED", ""));
    status.recordSuccess();
    expect(texts()).toEqual([
      "reading the server failed: no luck. Try it.",
      "reading the server works again after one failure",
    ]);
  });

  it("counts a failure that returns while other readings work as the failure of one reading", async () => {
    const { clock, texts, tree, status } = logs();
    for (let minute = 0; minute <= 10; minute++) {
      status.recordFailure(failure("API_UNAVAILABLE", "/experimental/devices"));
      tree.recordSuccess();
      await clock.advance(MINUTE);
    }
    status.recordSuccess();
    expect(texts()).toEqual([
      "reading the server failed: no luck. Try it.",
      "reading the server works again after one failure",
      "status still fails, 11 times so far: no luck. Try it.",
      "status works again after 11 failures",
    ]);
  });

  it("logs one line if the server comes back and refuses the credentials", () => {
    const { texts, health, tree, status } = logs();
    for (const log of [health, tree, status]) log.recordFailure(failure("API_CONNECTION_FAILED", "/health"));
    health.recordSuccess(false);
    texts();
    for (const log of [tree, status]) log.recordFailure(failure("API_UNAUTHORIZED", "/version"));
    expect(texts()).toHaveLength(1);
  });

  it("logs another line for another cause", () => {
    const { texts, health, tree } = logs();
    health.recordFailure(failure("API_CONNECTION_FAILED", "/health"));
    tree.recordFailure(failure("API_CONNECTION_FAILED", "/experimental/sensors"));
    tree.recordFailure(failure("API_UNAUTHORIZED", "/experimental/sensors"));
    expect(texts()).toHaveLength(2);
  });

  it("logs another line for the same code of another endpoint of a reading", () => {
    const { texts, tree } = logs();
    for (const endpoint of ["sensors", "devices", "sensors"])
      tree.recordFailure(failure("API_TIMEOUT", `/${endpoint}`));
    expect(texts()).toEqual(["tree failed: no luck. Try it.", "tree failed: no luck. Try it."]);
  });

  it("counts a suspended request as the failure that suspended it", () => {
    const { lines, tree, status } = logs();
    const cause = failure("API_UNAVAILABLE", "/experimental/sensors");
    status.recordFailure(failure("API_SUSPENDED", "/experimental/devices", { cause }));
    tree.recordFailure(cause);
    expect(lines.map(({ code, endpoint }) => [code, endpoint])).toEqual([["API_UNAVAILABLE", "/experimental/sensors"]]);
  });

  it("counts a timeout of /health as a failure of the server", () => {
    const { texts, health, tree } = logs();
    const cause = failure("API_TIMEOUT", "/health");
    health.recordFailure(cause);
    tree.recordFailure(failure("API_SUSPENDED", "/experimental/devices", { cause }));
    expect(texts()).toEqual(["reading the server failed: no luck. Try it."]);
  });

  it("reminds of it every ten minutes, once for all", async () => {
    const { clock, texts, tree, status } = logs();
    for (let minute = 0; minute <= 20; minute++) {
      for (const log of [tree, status]) log.recordFailure(failure("API_UNAUTHORIZED", "/experimental/sensors"));
      await clock.advance(MINUTE);
    }
    expect(texts()).toEqual([
      "reading the server failed: no luck. Try it.",
      "reading the server still fails, 21 times so far: no luck. Try it.",
      "reading the server still fails, 41 times so far: no luck. Try it.",
    ]);
  });

  it("logs the failures of one reading apart", () => {
    const { texts, tree, status } = logs();
    for (const log of [tree, status]) log.recordFailure(failure("API_TIMEOUT", "/experimental/sensors"));
    status.recordFailure(failure("API_SUSPENDED", "/experimental/sensors", { cause: failure("API_TIMEOUT", "/x") }));
    tree.recordSuccess();
    expect(texts()).toEqual([
      "tree failed: no luck. Try it.",
      "status failed: no luck. Try it.",
      "tree works again after one failure",
    ]);
  });
});
