import type { Clock } from "../lib/clock.ts";
import { serverVersion } from "../mapping/server-version.ts";
import type { MonitoringApi } from "../prtg/monitoring-api.ts";
import type { PollResult } from "./collector.ts";
import { goesOnWithout } from "./failures.ts";
import type { PolledServer, ServerHealth } from "./polled-server.ts";
import type { StateWriter } from "./state-writer.ts";

export const VERSION_EVERY_MS = 5 * 60_000;

/** Whether the server works, and from time to time its version. */
export async function pollHealth(server: PolledServer, signal: AbortSignal): Promise<PollResult> {
  const { api } = server.connection;
  const { writer, clock } = server;
  const { health } = server.history;
  try {
    await api.health(signal);
  } catch (error) {
    signal.throwIfAborted();
    health.hasFailed = true;
    // An update may be the reason.
    health.nextVersionAt = Number.NEGATIVE_INFINITY;
    throw error;
  }
  if (health.hasFailed) server.onRecovered();
  health.hasFailed = false;
  const { changed } = await pollVersion({ api, health, writer, clock }, signal);
  if (changed) server.onNewVersion();
  return { complete: true };
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
