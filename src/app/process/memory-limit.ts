import { ExporterError } from "../../errors/exporter-error.ts";

const MIB = 1_048_576;
/** Below it the kernel kills the process during the first poll, without a log line. */
const MIN_MIB = 112;

/**
 * @param limitBytes 0, or more than the memory of a machine: no limit
 * @throws ExporterError MEMORY_LIMIT_TOO_LOW
 */
export function requireMemory(limitBytes: number): void {
  const mib = Math.floor(limitBytes / MIB);
  if (limitBytes === 0 || mib >= MIN_MIB) return;
  throw new ExporterError("MEMORY_LIMIT_TOO_LOW", `the memory limit of this process is ${mib} MiB`);
}
