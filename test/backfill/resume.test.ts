import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { BackfillOptions } from "../../src/backfill/begin-run.ts";
import { runs } from "../support/runs.ts";
import { HistoryServer } from "./history-server.ts";
import { configured, emptyFolder, filesOf, run, TickingClock } from "./running.ts";

const SENSORS = ["9", "10", "101", "55"];

interface Course {
  /** A time-series request, a finished sensor or day. */
  readonly event: () => void;
  readonly signal?: AbortSignal;
  /** Before the final write. */
  readonly ending?: () => void;
  /** Decides when the journal is written. */
  readonly eventMs: number;
}

/** Two families: reads parts twice. */
const MAPPED = await configured("mapping: { presets: [base-units] }");

function go(output: string, { event, ending = () => undefined, signal, eventMs }: Course) {
  const server = new HistoryServer({ sensors: SENSORS, channels: 1 });
  const clock = new TickingClock();
  const step = () => {
    event();
    clock.elapsed += eventMs;
  };
  server.asks = step;
  const progress: BackfillOptions["progress"] = { begin: step, advance: step, end: ending };
  const options = { api: server, output, clock, progress, mapper: MAPPED.mapper, ...(signal && { signal }) };
  return run(options, { from: "2d", configured: MAPPED.configured });
}

async function uninterrupted(): Promise<{ files: Map<string, string>; events: number }> {
  const output = emptyFolder();
  let events = 0;
  const outcome = await go(output, { eventMs: 0, event: () => events++ });
  expect(outcome).toMatchObject({ kind: "finished", run: { sensors: 4, series: 8 } });
  return { files: filesOf(output), events };
}

/** Many runs with disk waits. */
const PATIENT = { timeout: 180_000 };
const pace = fc.constantFrom(0, 1_000, 3_000, 6_000);

describe("continued run", () => {
  test("gives the same files after signals at any points", PATIENT, async () => {
    const { files, events } = await uninterrupted();
    expect(files.size).toBe(3);
    const points = fc.array(fc.integer({ min: 1, max: events }), { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(points, pace, async (interruptions, eventMs) => {
        const output = emptyFolder();
        for (const point of interruptions) {
          const controller = new AbortController();
          let left = point;
          const event = () => --left === 0 && controller.abort(new Error("stopped by SIGINT"));
          await go(output, { eventMs, event, signal: controller.signal });
          // A finished folder rejects another run.
          if (!existsSync(`${output}/unfinished`)) break;
        }
        if (existsSync(`${output}/unfinished`)) await go(output, { eventMs, event: () => undefined });
        expect(filesOf(output)).toEqual(files);
        expect(readdirSync(output).filter((name) => !name.endsWith(".om"))).toEqual([".lock", "journal.json"]);
      }),
      { numRuns: runs(80) },
    );
  });

  test(
    "gives the same files after kills at any points, with any data since the last journal entry",
    PATIENT,
    async () => {
      const { files, events } = await uninterrupted();
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 1, max: events }), pace, async (point, eventMs) => {
          const killed = emptyFolder();
          const output = emptyFolder();
          let left = point;
          const event = () => --left === 0 && cpSync(output, killed, { recursive: true });
          await go(output, { eventMs, event });
          // Without a first entry, a new run begins.
          await go(killed, { eventMs, event: () => undefined });
          expect(filesOf(killed)).toEqual(files);
        }),
        { numRuns: runs(80) },
      );
    },
  );

  test("gives the same files after a failed write with some days ahead of others", async () => {
    const { files, events } = await uninterrupted();
    for (const day of ["2026-03-10", "2026-03-11", "2026-03-12"]) {
      const output = emptyFolder();
      const part = join(output, "unfinished", `${day}.part`);
      let event = 0;
      const breakDisk = () => {
        event++;
        // Acts like a full disk for one day.
        if (event === 5 && !existsSync(part)) mkdirSync(part);
      };
      // Too late: unwritten data is lost.
      const ending = () => rmSync(part, { recursive: true, force: true });
      await expect(go(output, { eventMs: 6_000, event: breakDisk, ending })).rejects.toMatchObject({
        code: "BACKFILL_OUTPUT_UNUSABLE",
      });
      expect(event).toBeLessThan(events);
      await go(output, { eventMs: 6_000, event: () => undefined });
      expect(filesOf(output)).toEqual(files);
    }
  });

  test("writes the journal at most every five seconds", async () => {
    const output = emptyFolder();
    const clock = new TickingClock();
    const server = new HistoryServer({ sensors: SENSORS });
    const entries: number[] = [];
    server.asks = () => {
      clock.elapsed += 1_000;
      const { unfinished } = JSON.parse(readFileSync(join(output, "journal.json"), "utf8"));
      entries.push(unfinished.done.length);
    };
    await run({ api: server, output, clock, concurrency: 1 });
    // Three requests for each sensor.
    expect(entries).toEqual([0, 0, 0, 0, 0, 0, 2, 2, 2, 2, 2, 2]);
  });

  test("repeats no request from the journal", async () => {
    const output = emptyFolder();
    const controller = new AbortController();
    const asked: string[] = [];
    const server = new HistoryServer({ sensors: SENSORS });
    server.asks = (id) => {
      asked.push(id);
      if (id === "101") controller.abort(new Error("stopped"));
    };
    const first = await run({ api: server, output, concurrency: 1, signal: controller.signal });
    expect(first).toEqual({ kind: "interrupted", done: 3, sensors: 4 });
    expect(asked).toEqual(["9", "9", "9", "10", "10", "10", "55", "55", "55", "101"]);
    asked.length = 0;
    server.asked.length = 0;
    server.asks = (id) => asked.push(id);
    expect(await run({ api: server, output })).toMatchObject({ kind: "finished" });
    expect(new Set(asked)).toEqual(new Set(["101"]));
    // No lists: sensors keep their first names.
    expect(server.asked.filter((question) => !question.startsWith("timeSeries"))).toEqual(["health"]);
  });
});
