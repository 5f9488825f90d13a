import type { Logger } from "pino";
import type { Clock } from "../lib/clock.ts";
import { serverVersion } from "../mapping/server-version.ts";
import type { MonitoringApi } from "../prtg/monitoring-api.ts";
import type { Collector, RunResult } from "./collector.ts";
import { FailureLog } from "./failure-log.ts";
import { goesOnWithout } from "./readings.ts";
import type { StateWriter } from "./state-writer.ts";

export const VERSION_EVERY_MS = 5 * 60_000;

export interface HealthCollectorOptions {
  readonly api: MonitoringApi;
  readonly writer: StateWriter;
  readonly clock: Clock;
  readonly log: Logger;
  /** The server runs another version than before. */
  readonly onVersionChange: () => void;
  /** The server works again, after it did not. */
  readonly onRecovery: () => void;
}

/** Whether the server works, and which version it runs. */
export class HealthCollector implements Collector {
  readonly name = "health";
  readonly #options: HealthCollectorOptions;
  readonly #versionFailures: FailureLog;
  #version: string | undefined;
  #nextVersionAt = Number.NEGATIVE_INFINITY;
  #failed = false;

  constructor(options: HealthCollectorOptions) {
    this.#options = options;
    this.#versionFailures = new FailureLog("reading the server's version", options.log, options.clock);
  }

  async run(signal: AbortSignal): Promise<RunResult> {
    const { api, clock, onRecovery } = this.#options;
    try {
      await api.health(signal);
    } catch (error) {
      signal.throwIfAborted();
      this.#failed = true;
      // What comes back may be another version.
      this.#nextVersionAt = Number.NEGATIVE_INFINITY;
      throw error;
    }
    if (this.#failed) onRecovery();
    this.#failed = false;
    if (clock.monotonic() >= this.#nextVersionAt) await this.#readVersion(signal);
    return { complete: true };
  }

  /** The version is an extra: a server that does not tell it is healthy all the same. */
  async #readVersion(signal: AbortSignal): Promise<void> {
    const { api, clock, writer, onVersionChange } = this.#options;
    this.#nextVersionAt = clock.monotonic() + VERSION_EVERY_MS;
    let version: string | undefined;
    try {
      version = serverVersion(await api.version(signal));
    } catch (error) {
      signal.throwIfAborted();
      if (!goesOnWithout("version", error)) throw error;
      this.#versionFailures.failed(error);
      return;
    }
    this.#versionFailures.worked();
    if (version === undefined) return;
    if (this.#version !== undefined && version !== this.#version) onVersionChange();
    this.#version = version;
    await writer.applyVersion(version);
  }
}
