import { PassThrough } from "node:stream";
import { pino } from "pino";
import { describe, expect, test } from "vitest";
import { progressBar, progressLines } from "../../src/cli/backfill/output.ts";
import { TickingClock } from "./running.ts";

describe("progressLines", () => {
  test("reports progress, speed and remaining time every few seconds", () => {
    const clock = new TickingClock();
    const lines: unknown[] = [];
    const log = pino(
      { base: null, timestamp: false, formatters: { level: (level) => ({ level }) } },
      {
        write: (line: string) => void lines.push(JSON.parse(line)),
      },
    );
    const progress = progressLines(log, clock);
    progress.begin("sensors", 1_000, 200);
    for (let done = 201; done <= 224; done++) {
      clock.elapsed += 500;
      progress.advance(done);
    }
    progress.end();
    progress.begin("days", 60, 0);
    expect(lines).toEqual([
      { level: "info", msg: "reading sensors", done: 200, total: 1_000 },
      { level: "info", msg: "reading sensors", done: 210, total: 1_000, per_second: "2.0", left: "6m35s" },
      { level: "info", msg: "reading sensors", done: 220, total: 1_000, per_second: "2.0", left: "6m30s" },
      { level: "info", msg: "writing days", done: 0, total: 60 },
    ]);
  });
});

describe("progressBar", () => {
  test("draws a bar and restores the cursor", () => {
    const clock = new TickingClock();
    const terminal = Object.assign(new PassThrough(), { isTTY: true, columns: 120 });
    const progress = progressBar(terminal, clock);
    progress.begin("sensors", 200, 50);
    clock.elapsed += 10_000;
    progress.advance(100);
    progress.end();
    // Since Node.js 26, one `read` returns one chunk.
    let text = "";
    for (let part = terminal.read(); part !== null; part = terminal.read()) text += part;
    expect(text).toContain("reading sensors [========                      ] 25% | 50/200 | ?/s | ? left");
    expect(text).toContain("reading sensors [===============               ] 50% | 100/200 | 5.0/s | 20s left");
    expect(text.lastIndexOf("\u001b[?25h")).toBeGreaterThan(text.lastIndexOf("\u001b[?25l"));
  });
});
