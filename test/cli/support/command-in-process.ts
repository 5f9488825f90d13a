import { vi } from "vitest";
import { runProgram } from "../../../src/cli/program.ts";

export interface EndedCommand {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs a command in this process, which saves the start of another. One at a time, because it replaces the streams and the environment.
 * @param env The whole environment of the command.
 */
export async function runInProcess(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<EndedCommand> {
  const stdout = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const stderr = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  // A command handles the faults and signals of its process. Those of the tests are not its own.
  const on = vi.spyOn(process, "on").mockReturnThis();
  const { env: inherited } = process;
  process.env = { NO_COLOR: "1", ...env };
  const written = ({ mock }: typeof stdout) => mock.calls.map(([text]) => Buffer.from(text).toString()).join("");
  try {
    const code = await runProgram(args);
    return { code, stdout: written(stdout), stderr: written(stderr) };
  } finally {
    process.env = inherited;
    for (const spy of [stdout, stderr, on]) spy.mockRestore();
  }
}
