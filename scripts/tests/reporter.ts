import { writeFileSync } from "node:fs";
import type { Reporter, SerializedError, TestModule } from "vitest/node";
import type { TestedFile, TestReport } from "./report.ts";

/**
 * Writes what happened to PRTG_EXPORTER_TEST_REPORT. Vitest's JSON has neither unhandled errors nor retries, without which a
 * red run can look green.
 */
export default class TierReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const file = process.env.PRTG_EXPORTER_TEST_REPORT;
    if (file === undefined) throw new Error("PRTG_EXPORTER_TEST_REPORT is not set");
    const report: TestReport = {
      unhandledErrors: unhandled.map(({ message }) => firstLine(message)),
      files: modules.map(testedFile),
    };
    writeFileSync(file, JSON.stringify(report));
  }
}

function testedFile(module: TestModule): TestedFile {
  return {
    name: module.relativeModuleId,
    failed: module.state() !== "passed" && module.state() !== "skipped",
    tests: [...module.children.allTests()].map((test) => {
      const { state, errors } = test.result();
      return {
        name: test.fullName,
        state: state === "pending" ? "failed" : state,
        retries: test.diagnostic()?.retryCount ?? 0,
        error: errors?.[0] === undefined ? undefined : firstLine(errors[0].message),
      };
    }),
  };
}

function firstLine(message: string): string {
  return message.split("\n", 1)[0] ?? "";
}
