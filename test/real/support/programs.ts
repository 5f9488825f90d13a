import { describe, test } from "vitest";
import { findProgram, type ProgramName, programPath } from "./program-paths.ts";

/** As in CI: a missing program, or permission, fails a test. */
export const PROGRAMS_REQUIRED = process.env.PRTG_EXPORTER_REQUIRE_PROGRAMS === "1";

const INSTALLER = "scripts/install-test-programs.sh";

/**
 * The body gets the paths. Skips with a reason if one is missing, or fails with PRTG_EXPORTER_REQUIRE_PROGRAMS=1 (as in CI).
 */
export function describeWithPrograms<Name extends ProgramName>(
  names: readonly Name[],
  title: string,
  body: (paths: Record<Name, string>) => void,
): void {
  const missing = names.filter((name) => findProgram(name) === undefined);
  const paths = Object.fromEntries(names.map((name) => [name, programPath(name)])) as Record<Name, string>;
  if (missing.length === 0) {
    describe(title, () => body(paths));
    return;
  }
  const reason = `${missing.join(" and ")} missing, install with ${INSTALLER}`;
  if (PROGRAMS_REQUIRED) {
    describe(title, () => {
      test("needs its programs", () => {
        throw new Error(`${reason} (PRTG_EXPORTER_REQUIRE_PROGRAMS=1 makes this a failure)`);
      });
    });
    return;
  }
  // Runs the body to count skipped tests.
  describe.skip(`${title} [skipped: ${reason}]`, () => body(paths));
}
