import { ExporterError } from "../../errors/exporter-error.ts";

const MIB = 1_048_576;
/** Below it the kernel kills the process while it reads its first lists, which leaves no word in the log. */
const MIN_MIB = 112;

/**
 * Refuses to begin where the kernel would end the process soon after.
 * @param limitBytes what the process may have; 0, or more than a machine has: no limit
 * @throws ExporterError MEMORY_LIMIT_TOO_LOW
 */
export function requireMemory(limitBytes: number): void {
  const mib = Math.floor(limitBytes / MIB);
  if (limitBytes === 0 || mib >= MIN_MIB) return;
  throw new ExporterError("MEMORY_LIMIT_TOO_LOW", `the memory limit of this process is ${mib} MB`);
}
