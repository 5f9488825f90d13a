import { statSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import { expect, test } from "vitest";
import type { BackfillProgress } from "../../src/backfill/parameters.ts";
import { roughSize } from "../../src/backfill/plan.ts";
import { HistoryServer } from "./history-server.ts";
import { emptyFolder, filesOf, run } from "./running.ts";

interface Line {
  readonly level: number;
  readonly msg: string;
  readonly requests?: number;
  readonly size?: string;
}

function logTo(lines: Line[]) {
  return pino({ level: "info" }, { write: (line: string) => void lines.push(JSON.parse(line)) });
}

test("the size on disk is said before the first series is read, and is about right", async () => {
  const server = new HistoryServer({ sensors: ["9", "10", "101"], channels: 4 });
  const lines: Line[] = [];
  const before: Line[] = [];
  server.asks = () => void before.push(...lines.splice(0));
  const output = emptyFolder();
  await run({ api: server, output, log: logTo(lines) }, { from: "70d" });
  const said = before.find(({ msg }) => msg === "estimated requests and size of the history on disk");
  const bytes = [...filesOf(output).keys()].reduce((sum, name) => sum + statSync(join(output, name)).size, 0);
  const megabytes = Number(said?.size?.replace(" MB", ""));
  expect(said?.requests).toBe(12);
  expect(megabytes / (bytes / 1e6)).toBeGreaterThan(0.8);
  expect(megabytes / (bytes / 1e6)).toBeLessThan(1.25);
});

test("a small disk is a warning", async () => {
  const lines: Line[] = [];
  const api = new HistoryServer({ sensors: ["9"] });
  await run({ api, output: emptyFolder(), log: logTo(lines), freeBytes: async () => 1_000 });
  expect(lines.filter(({ level }) => level === 40).map(({ msg }) => msg)).toEqual([
    "the disk is probably too small for this history",
  ]);
});

test("progress counts requests of unfinished sensors", async () => {
  const seen: number[] = [];
  const progress: BackfillProgress = {
    begin: () => undefined,
    advance: (done) => void seen.push(done),
    end: () => undefined,
  };
  const api = new HistoryServer({ sensors: ["9", "10"] });
  await run({ api, output: emptyFolder(), progress, concurrency: 1 }, { from: "70d" });
  expect(seen.slice(0, 10)).toEqual([0.25, 0.5, 0.75, 1, 1, 1.25, 1.5, 1.75, 2, 2]);
});

test.each([
  [999, "1.0 kB"],
  [626_000_000, "626 MB"],
  [1_940_000_000, "1.9 GB"],
  [12_300_000_000_000, "12 TB"],
])("%d bytes are roughly %s", (bytes, text) => {
  expect(roughSize(bytes)).toBe(text);
});
