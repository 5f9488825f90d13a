import pLimit from "p-limit";
import type { Config } from "../config/load.ts";
import { describeError } from "../errors/exporter-error.ts";
import type { ReloadResult } from "../http/pages/routes.ts";
import type { Runtime } from "../lib/runtime.ts";
import { type ConfigDigests, digestConfig } from "./config-digests.ts";
import { discardEvents, type PreparedEvents } from "./event-outputs.ts";
import type { ConfigChange, Exporter } from "./exporter.ts";
import { discardPush } from "./otlp-preparation.ts";
import type { PreparedPush } from "./otlp-push.ts";

export interface ReloadSource {
  readonly load: () => Promise<Config>;
  /** @throws ExporterError for unusable settings and files */
  readonly preparePush: (config: Config) => Promise<PreparedPush | undefined>;
  /** @throws ExporterError STATE_DIR_BUSY */
  readonly prepareEvents: (config: Config) => Promise<PreparedEvents | undefined>;
}

const STOPS: ReloadResult = { kind: "refused", message: "the exporter stops" };

type ChangeableExporter = Pick<Exporter, "metrics" | "reportFindings" | "change" | "stop">;

/** Applies a changed configuration as a whole or not at all. */
export class ConfigReloader {
  readonly #exporter: ChangeableExporter;
  readonly #runtime: Pick<Runtime, "clock" | "log">;
  #digests: ConfigDigests;
  readonly #oneAtATime = pLimit(1);
  #isStopped = false;

  constructor(exporter: ChangeableExporter, digests: ConfigDigests, runtime: Pick<Runtime, "clock" | "log">) {
    this.#exporter = exporter;
    this.#digests = digests;
    this.#runtime = runtime;
    exporter.metrics.config.hash(digests.hash);
  }

  /** One at a time; never rejects. */
  reload(source: ReloadSource, graceMs: number): Promise<ReloadResult> {
    return this.#oneAtATime(() => this.#reload(source, graceMs));
  }

  /** Stops the exporter after the current reload. */
  async stop(graceMs: number): Promise<void> {
    this.#isStopped = true;
    await this.#oneAtATime(() => undefined);
    await this.#exporter.stop(graceMs);
  }

  async #reload(source: ReloadSource, graceMs: number): Promise<ReloadResult> {
    if (this.#isStopped) return STOPS;
    let change: ConfigChange;
    try {
      change = await this.#prepare(source);
    } catch (error) {
      return this.#refuse(error);
    }
    const { config, digests, push, events } = change;
    if (digests.whole === this.#digests.whole || this.#isStopped) {
      if (push !== undefined) await discardPush(push);
      if (events !== undefined) await discardEvents(events);
      // Says nothing about the configuration, which was not applied.
      if (this.#isStopped) return STOPS;
      this.#runtime.log.info("the configuration has not changed");
      this.#record(true);
      return { kind: "unchanged" };
    }
    try {
      await this.#exporter.change(this.#digests, change, graceMs);
    } catch (error) {
      // A fault of the exporter may leave half a change: the next reload applies everything.
      this.#digests = { ...this.#digests, whole: "", hash: 0, shape: "", servers: new Map() };
      return this.#refuse(error);
    }
    this.#digests = digests;
    this.#record(true);
    this.#exporter.metrics.config.hash(digests.hash);
    this.#runtime.log.info({ servers: config.servers.map(({ name }) => name) }, "the configuration was reloaded");
    return { kind: "applied" };
  }

  /** Errors show before anything changes. */
  async #prepare(source: ReloadSource): Promise<ConfigChange> {
    const config = await source.load();
    this.#exporter.reportFindings(config);
    const digests = await digestConfig(config, this.#digests.secrets);
    const push = await source.preparePush(config);
    try {
      return { config, digests, push, events: await source.prepareEvents(config) };
    } catch (error) {
      if (push !== undefined) await discardPush(push);
      throw error;
    }
  }

  #refuse(error: unknown): ReloadResult {
    const message = describeError(error);
    const text = "the configuration was not reloaded: the previous one stays in use";
    this.#runtime.log.error({ err: error }, text);
    this.#record(false);
    return { kind: "refused", message };
  }

  #record(worked: boolean): void {
    const { metrics } = this.#exporter;
    metrics.config.reloadSuccessful(worked);
    if (worked) metrics.config.reloadTime(this.#runtime.clock.now() / 1_000);
  }
}
