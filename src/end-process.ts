import { filesHang } from "./bounded-files.ts";

/**
 * Ends the process now. Node.js waits for its threads at the end, and one that waits for a file system may do so for ever:
 * then the process becomes another one, which ends at once and leaves no thread behind.
 */
export function endProcess(code: number): never {
  if (filesHang() && process.execve !== undefined && process.platform !== "win32") {
    process.execve(process.execPath, [process.execPath, "--eval", `process.exit(${code})`], {});
  }
  process.exit(code);
}
