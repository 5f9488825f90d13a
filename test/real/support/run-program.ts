import { spawn } from "node:child_process";

export interface ProgramResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** `input`: standard input. */
export function runProgram(
  binary: string,
  args: readonly string[],
  input: string,
  timeoutMs = 120_000,
  env: NodeJS.ProcessEnv = process.env,
): Promise<ProgramResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(binary, args, { timeout: timeoutMs, killSignal: "SIGKILL", env });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    child.on("error", reject);
    child.on("close", (code, signal) => {
      if (signal === null) resolve({ code, stdout, stderr });
      else reject(new Error(`${binary} was ended by ${signal}: ${stderr}`));
    });
    // A program that rejects early stops reading. Its exit code reports this.
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
  });
}
