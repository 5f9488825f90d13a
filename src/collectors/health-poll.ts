import type { Clock } from "../lib/clock.ts";
import { serverVersion } from "../prtg/decode/system-records.ts";
import type { MonitoringApi } from "../prtg/monitoring-api.ts";
import type { ReadingFailureLog, ServerFailureLogs } from "./failure-log.ts";
import { goesOnWithout } from "./failures.ts";
import type { StateWriter } from "./state-writer.ts";

export const VERSION_EVERY_MS = 5 * 60_000;

/** Remembered over connections. */
export class ServerHealth {
  readonly versionFailures: ReadingFailureLog;
  version: string | undefined;
  /** Monotonic. */
  nextVersionAt = Number.NEGATIVE_INFINITY;
  hasFailed = false;

  constructor(failures: ServerFailureLogs) {
    this.versionFailures = failures.open("reading the server's version");
  }
}

/**
 * Whether the server works. `recovered`: it did not work before.
 * @throws ApiError
 */
export async function pollHealth(
  api: Pick<MonitoringApi, "health">,
  health: ServerHealth,
  signal: AbortSignal,
): Promise<{ readonly recovered: boolean }> {
  try {
    await api.health(signal);
  } catch (error) {
    signal.throwIfAborted();
    health.hasFailed = true;
    // An update may be the reason.
    health.nextVersionAt = Number.NEGATIVE_INFINITY;
    throw error;
  }
  const recovered = health.hasFailed;
  health.hasFailed = false;
  return { recovered };
}

export interface VersionPollOptions {
  readonly api: Pick<MonitoringApi, "version">;
  readonly health: ServerHealth;
  readonly writer: Pick<StateWriter, "applyVersion">;
  readonly clock: Clock;
}

/** Every five minutes. A server without a version is healthy too. */
export async function pollVersion(
  { api, health, writer, clock }: VersionPollOptions,
  signal: AbortSignal,
): Promise<{ readonly changed: boolean }> {
  if (clock.monotonic() < health.nextVersionAt) return { changed: false };
  health.nextVersionAt = clock.monotonic() + VERSION_EVERY_MS;
  let version: string | undefined;
  try {
    version = serverVersion(await api.version(signal));
  } catch (error) {
    // The next run tries again.
    if (signal.aborted) health.nextVersionAt = Number.NEGATIVE_INFINITY;
    signal.throwIfAborted();
    if (!goesOnWithout("version", error)) throw error;
    health.versionFailures.recordFailure(error);
    return { changed: false };
  }
  health.versionFailures.recordSuccess();
  if (version === undefined) return { changed: false };
  const changed = health.version !== undefined && version !== health.version;
  health.version = version;
  await writer.applyVersion(version);
  return { changed };
}
