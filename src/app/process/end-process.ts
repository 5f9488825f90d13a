import { filesHang } from "../../lib/bounded-files.ts";
import { hasPendingLookups } from "../../lib/http/dns-lookup.ts";

/** Whether threads wait for a file system or a name server, and may do so for long. */
export function threadsHang(): boolean {
  return filesHang() || hasPendingLookups();
}

/**
 * Ends the process now. Node.js waits for its threads at the end, and one that waits for a file system may do so for ever:
 * then the process becomes another one, which ends at once and leaves no thread behind.
 */
export function endProcess(code: number): never {
  if (threadsHang() && process.execve !== undefined && process.platform !== "win32") {
    process.execve(process.execPath, [process.execPath, "--eval", `process.exit(${code})`], {});
  }
  process.exit(code);
}
