import type { Logger } from "pino";
import type { Clock } from "../lib/clock.ts";
import { serverVersion } from "../mapping/server-version.ts";
import type { MonitoringApi } from "../prtg/monitoring-api.ts";
import type { Collector, RunResult } from "./collector.ts";
import { FailureLog } from "./failure-log.ts";
import { goesOnWithout } from "./readings.ts";
import type { StateWriter } from "./state-writer.ts";

export const VERSION_EVERY_MS = 5 * 60_000;

export interface HealthReaderOptions {
  readonly api: MonitoringApi;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Asks a server how it is, and now and then which version it runs. */
export class HealthReader {
  readonly #options: HealthReaderOptions;
  readonly #versionFailures: FailureLog;
  #version: string | undefined;
  #nextVersionAt: number;
  #failed: boolean;

  /** `before`: of another way to the same server. */
  constructor(options: HealthReaderOptions, before?: HealthReader) {
    this.#options = options;
    this.#versionFailures =
      before === undefined
        ? new FailureLog("reading the server's version", options.log, options.clock)
        : before.#versionFailures;
    this.#version = before === undefined ? undefined : before.#version;
    this.#nextVersionAt = before === undefined ? Number.NEGATIVE_INFINITY : before.#nextVersionAt;
    this.#failed = before === undefined ? false : before.#failed;
  }

  /**
   * Resolves with whether the server works again, after it did not.
   * @throws ApiError when it does not work
   */
  async read(signal: AbortSignal): Promise<{ readonly recovered: boolean }> {
    try {
      await this.#options.api.health(signal);
    } catch (error) {
      signal.throwIfAborted();
      this.#failed = true;
      // What comes back may be another version.
      this.#nextVersionAt = Number.NEGATIVE_INFINITY;
      throw error;
    }
    const recovered = this.#failed;
    this.#failed = false;
    return { recovered };
  }

  /**
   * Undefined where it is not time to ask again, or the server does not tell: the version is an extra, and a server
   * without it is healthy all the same. `changed`: it runs another one than before.
   */
  async readVersion(signal: AbortSignal): Promise<{ readonly version: string; readonly changed: boolean } | undefined> {
    const { api, clock } = this.#options;
    if (clock.monotonic() < this.#nextVersionAt) return undefined;
    this.#nextVersionAt = clock.monotonic() + VERSION_EVERY_MS;
    let version: string | undefined;
    try {
      version = serverVersion(await api.version(signal));
    } catch (error) {
      // Broken off: the next run asks again.
      if (signal.aborted) this.#nextVersionAt = Number.NEGATIVE_INFINITY;
      signal.throwIfAborted();
      if (!goesOnWithout("version", error)) throw error;
      this.#versionFailures.failed(error);
      return undefined;
    }
    this.#versionFailures.worked();
    if (version === undefined) return undefined;
    const changed = this.#version !== undefined && version !== this.#version;
    this.#version = version;
    return { version, changed };
  }
}

export interface HealthCollectorOptions {
  readonly health: HealthReader;
  readonly writer: StateWriter;
  /** The server runs another version than before. */
  readonly onVersionChange: () => void;
  /** The server works again, after it did not. */
  readonly onRecovery: () => void;
}

/** Whether the server works, and which version it runs. */
export class HealthCollector implements Collector {
  readonly name = "health";
  readonly #options: HealthCollectorOptions;

  constructor(options: HealthCollectorOptions) {
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<RunResult> {
    const { health, writer, onVersionChange, onRecovery } = this.#options;
    const { recovered } = await health.read(signal);
    if (recovered) onRecovery();
    const found = await health.readVersion(signal);
    if (found?.changed === true) onVersionChange();
    if (found !== undefined) await writer.applyVersion(found.version);
    return { complete: true };
  }
}
