import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { failedFiles, readTier, type TestRun } from "../../../scripts/tests/report.ts";
import { judgeTier } from "../../../scripts/tests/verdict.ts";
import { runProgram } from "../../real/support/run-program.ts";

const VITEST = "node_modules/vitest/vitest.mjs";
const FIXTURE = "test/scripts/tests/fixture";
const SEED = "12345";

const folder = mkdtempSync(path.join(tmpdir(), "red-fixtures-"));
let run: TestRun;
let output = "";

beforeAll(async () => {
  const reporter = path.resolve("scripts/tests/reporter.ts");
  const args = [VITEST, "run", "--root", FIXTURE, "--reporter=default", `--reporter=${reporter}`];
  const report = path.join(folder, "red.json");
  const env = { ...process.env, CI: "true", PRTG_EXPORTER_TEST_REPORT: report, PRTG_EXPORTER_SEED: SEED };
  const { code, stdout, stderr } = await runProgram(process.execPath, args, "", 60_000, env);
  output = stdout + stderr;
  writeFileSync(path.join(folder, "red.exit"), String(code));
  run = readTier(folder, "red").first;
});

afterAll(() => rmSync(folder, { recursive: true }));

test("reports files that failed by a property or a hook, and no others", () => {
  expect(
    failedFiles(run)
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual(["property.red.ts", "whole.red.ts"]);
});

test("names a second chance, an unhandled rejection and a broken file", () => {
  const { lines } = judgeTier({ first: run, again: undefined }, { atLeast: 0, allowedSkips: [] }, { isStrict: false });
  expect(lines).toEqual(
    expect.arrayContaining([
      "FAILED unhandled error: lost rejection",
      "FAILED whole.red.ts failed as a whole",
      expect.stringMatching(
        /^second chance: wobbles\.red\.ts > passes when it is retried passed when retried: expected 1/,
      ),
      expect.stringMatching(/^FAILED property\.red\.ts > has a counterexample once: Property failed after 1 tests/),
    ]),
  );
});

test("does not retry a property, and prints the seed that was set", () => {
  const property = run.report?.files.find(({ name }) => name === "property.red.ts");
  expect(property?.tests).toMatchObject([{ state: "failed", retries: 0 }]);
  expect(output).toContain(`seed: ${SEED}`);
});
