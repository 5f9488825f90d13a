import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { PART_NAMES } from "../../bench/parts/table.ts";
import { readResults } from "../../bench/results/file.ts";
import { startInBackground } from "./support/background-program.ts";
import { PROGRAMS_REQUIRED } from "./support/programs.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Only against hanging: speed depends on the machine. */
const LIMIT_MS = 1_200_000;

test("the bench measures all parts in a quick run", { timeout: LIMIT_MS }, async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "prtg-exporter-bench-test-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const output = path.join(folder, "results.json");
  const bench = startInBackground(process.execPath, ["bench/main.ts", "--quick", "--output", output], { cwd: ROOT });
  onTestFinished(() => bench.stop());
  expect(await bench.ended, bench.log()).toEqual({ code: 0, signal: null });

  const results = await readResults(pathToFileURL(output));
  expect(results?.parts.map(({ part }) => part)).toEqual(PART_NAMES);
  for (const { part, rows } of results?.parts ?? []) {
    expect(rows.length, part).toBeGreaterThan(2);
    for (const { name, unit, spread, samples } of rows) {
      expect(samples, name).toBeGreaterThan(0);
      expect(spread.median, `${part}: ${name}`).toBeGreaterThanOrEqual(spread.minimum);
      expect(spread.median, `${part}: ${name}`).toBeLessThanOrEqual(spread.maximum);
      if (unit === "ms" || unit === "s") expect(spread.median, `${part}: ${name}`).toBeGreaterThan(0);
    }
  }
  if (!PROGRAMS_REQUIRED) return;
  expect(bench.log()).toContain("nginx, same bytes, gzip");
  expect(bench.log()).not.toMatch(/skipped/);
});
