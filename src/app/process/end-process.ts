import { filesHang } from "../../lib/bounded-files.ts";
import { hasPendingLookups } from "../../lib/http/dns-lookup.ts";

/** Threads may wait long for a file system or a name server. */
export function threadsHang(): boolean {
  return filesHang() || hasPendingLookups();
}

/** Ends the process now. Node.js would wait for threads, possibly for ever: then the process replaces itself with one that ends. */
export function endProcess(code: number): never {
  if (threadsHang() && process.execve !== undefined && process.platform !== "win32") {
    process.execve(process.execPath, [process.execPath, "--eval", `process.exit(${code})`], {});
  }
  process.exit(code);
}
