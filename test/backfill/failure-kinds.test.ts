import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import { describe, expect, test } from "vitest";
import { failureKind } from "../../src/backfill/sensor-reader.ts";
import { ERROR_CATALOGUE, type ErrorCode } from "../../src/errors/catalogue.ts";
import { mapEntry } from "../../src/lib/map-entry.ts";
import { ApiError } from "../../src/prtg/api-error.ts";
import { HistoryServer, MINUTE } from "./history-server.ts";
import { emptyFolder, filesOf, run, TickingClock } from "./running.ts";

const SENSORS = ["10", "11", "12", "13"];
const failure = (code: ErrorCode) => new ApiError(code, `it says ${code}`, { endpoint: "/timeseries" });

function failingServer(fails: (sensorId: string, question: number) => ErrorCode | undefined): HistoryServer {
  const server = new HistoryServer({ sensors: SENSORS, channels: 1 });
  let question = 0;
  server.asks = (id) => {
    const code = fails(id, ++question);
    if (code !== undefined) throw failure(code);
  };
  return server;
}

const sound = new Map<string, Promise<Map<string, string>>>();

/** Files of a run without trouble, from one run for all tests. */
function soundFiles(sensors = SENSORS): Promise<Map<string, string>> {
  return mapEntry(sound, sensors.join(), () => filesWithoutTrouble(sensors));
}

async function filesWithoutTrouble(sensors: readonly string[]): Promise<Map<string, string>> {
  const output = emptyFolder();
  await run({ api: new HistoryServer({ sensors, channels: 1 }), output });
  return filesOf(output);
}

function doneIn(output: string): string[] {
  return JSON.parse(readFileSync(join(output, "journal.json"), "utf8")).unfinished.done;
}

describe("during an outage", () => {
  test.each(["API_CONNECTION_FAILED", "API_UNAVAILABLE", "API_SUSPENDED", "API_RATE_LIMITED"] as const)(
    "(%s) the run waits longer each time and then continues",
    async (code) => {
      const output = emptyFolder();
      const clock = new TickingClock();
      const api = failingServer((_, question) => (question > 4 && question <= 12 ? code : undefined));
      expect(await run({ api, output, clock, concurrency: 1 })).toMatchObject({ kind: "finished" });
      expect(clock.slept.map((ms) => ms / 1000)).toEqual([5, 10, 20, 40, 60, 60, 60, 60]);
      expect(filesOf(output)).toEqual(await soundFiles());
    },
  );

  test("the run stops after 15 minutes without an answer and can continue later", async () => {
    const output = emptyFolder();
    const clock = new TickingClock();
    const api = failingServer((_, question) => (question > 4 ? "API_CONNECTION_FAILED" : undefined));
    await expect(run({ api, output, clock })).rejects.toMatchObject({ code: "API_CONNECTION_FAILED" });
    expect(clock.elapsed).toBeGreaterThan(15 * MINUTE);
    expect(clock.elapsed).toBeLessThan(20 * MINUTE);
    expect(await run({ api: failingServer(() => undefined), output })).toMatchObject({ kind: "finished" });
    expect(filesOf(output)).toEqual(await soundFiles());
  });
});

describe("sensor that the server fails to return", () => {
  test.each([
    "API_SERVER_ERROR",
    "API_TIMEOUT",
    "API_NOT_JSON",
    "API_FORBIDDEN",
    "API_LIST_TOO_LARGE",
    "API_MEMORY_FULL",
  ] as const)("(%s) gets another attempt at the end", async (code) => {
    const output = emptyFolder();
    let times = 0;
    const api = failingServer((id) => (id === "11" && times++ === 0 ? code : undefined));
    expect(await run({ api, output })).toMatchObject({ kind: "finished" });
    expect(filesOf(output)).toEqual(await soundFiles());
  });

  test("keeps the run unfinished until another run completes it", async () => {
    const output = emptyFolder();
    const api = failingServer((id) => (id === "11" ? "API_SERVER_ERROR" : undefined));
    await expect(run({ api, output })).rejects.toMatchObject({
      code: "BACKFILL_SENSORS_FAILED",
      message: '1 of 4 sensors cannot be read, such as 11 (Probe/Berlin/a "device"/Ping 11)',
    });
    expect(doneIn(output).sort()).toEqual(["10", "12", "13"]);
    expect(filesOf(output).size).toBe(0);
    const asked = new Set<string>();
    const recovered = failingServer((id) => void asked.add(id));
    expect(await run({ api: recovered, output })).toMatchObject({ kind: "finished" });
    expect([...asked]).toEqual(["11"]);
    expect(filesOf(output)).toEqual(await soundFiles());
  });

  test("can be skipped on request", async () => {
    const output = emptyFolder();
    const api = failingServer((id) => (id === "11" ? "API_SERVER_ERROR" : undefined));
    expect(await run({ api, output, skipFailed: true })).toMatchObject({ kind: "finished" });
    expect(filesOf(output)).toEqual(await soundFiles(["10", "12", "13"]));
  });
});

describe("deleted sensor", () => {
  test.each(["API_NOT_FOUND", "API_ENDPOINT_MISSING"] as const)("(%s) drops out of the files", async (code) => {
    const output = emptyFolder();
    const log: string[] = [];
    const api = failingServer((id) => (id === "10" ? code : undefined));
    const began = new HistoryServer({ sensors: SENSORS, channels: 1 });
    const controller = new AbortController();
    began.asks = () => controller.abort(new Error("stopped"));
    await run({ api: began, output, signal: controller.signal });
    api.remove("10");
    const write = { write: (line: string) => void log.push(JSON.parse(line).msg) };
    expect(await run({ api, output, log: pino({}, write) })).toMatchObject({ kind: "finished" });
    expect(log).toContain("skipped 1 sensors that were deleted since the backfill began");
    expect(filesOf(output)).toEqual(await soundFiles(["11", "12", "13"]));
  });

  test("differs from a server without time series", async () => {
    const api = failingServer(() => "API_ENDPOINT_MISSING");
    await expect(run({ api, output: emptyFolder() })).rejects.toMatchObject({ code: "API_ENDPOINT_MISSING" });
  });
});

test("errors that need the user end the run and keep its data", async () => {
  const output = emptyFolder();
  const asked: string[] = [];
  const api = failingServer((id) => {
    asked.push(id);
    return id === "12" ? "API_UNAUTHORIZED" : undefined;
  });
  await expect(run({ api, output, concurrency: 1 })).rejects.toMatchObject({ code: "API_UNAUTHORIZED" });
  expect(new Set(asked)).toEqual(new Set(["10", "11", "12"]));
  expect(doneIn(output)).toEqual(["10", "11"]);
});

test("the run waits for or skips known errors only", () => {
  const kinds = Map.groupBy(Object.keys(ERROR_CATALOGUE) as ErrorCode[], (code) => failureKind(failure(code)));
  expect(
    kinds
      .get("fatal")
      ?.filter((code) => code.startsWith("API_"))
      .sort(),
  ).toEqual([
    "API_FILTER_REFUSED",
    "API_LICENSE_INACTIVE",
    "API_LOGIN_FAILED",
    "API_PROXY_UNAUTHORIZED",
    "API_REDIRECTED",
    "API_TLS_CLIENT_REFUSED",
    "API_TLS_FAILED",
    "API_TLS_FINGERPRINT",
    "API_TLS_UNTRUSTED",
    "API_UNAUTHORIZED",
    "API_VALUES_UNREADABLE",
    "API_WRONG_PORT",
  ]);
  expect(failureKind(new TypeError("a fault of ours"))).toBe("fatal");
});
