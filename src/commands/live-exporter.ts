import { createHash } from "node:crypto";
import type { Logger } from "pino";
import type { Config } from "../config/load.ts";
import { describeError } from "../errors/exporter-error.ts";
import type { Reloaded } from "../http/reload-endpoint.ts";
import type { CommandContext } from "./context.ts";
import { Exporter } from "./exporter.ts";
import type { OtlpPush } from "./otlp-push.ts";

/** A configuration that was read and checked as a whole, rules included. */
export interface CheckedConfig {
  readonly config: Config;
  /** Differs when anything that was read differs. */
  readonly fingerprint: string;
}

/** By everything that decides what the exporter does: settings, rules, and the certificates that were read. */
export function checkedConfig(config: Config): CheckedConfig {
  const { ruleFiles, labels, ...settings } = config;
  const rules = ruleFiles.map((file) => file.rules);
  const { keep, rename, fromTags } = labels;
  const plain = { ...settings, rules, labels: [keep && [...keep], [...rename], fromTags] };
  return { config, fingerprint: createHash("sha256").update(JSON.stringify(plain)).digest("hex") };
}

export interface ReloadSource {
  /** @throws ConfigError with everything that is wrong */
  readonly load: () => Promise<CheckedConfig>;
  readonly openPush: (config: Config) => Promise<OtlpPush | undefined>;
}

/**
 * The exporter that serves, in whose place another one can be put with another configuration. At most one polls: the old
 * one ends, and its last page is served until the first poll of the new one is over.
 */
export class LiveExporter {
  readonly #context: CommandContext;
  readonly #log: Logger;
  readonly #listeners = new Set<(config: Config) => void>();
  /** Whose page is served. */
  #shown: Exporter;
  /** Who polls; the same but for the time between a reload and the first poll after it. */
  #polling: Exporter;
  /** Who is to be shown after its first poll, unless it is stopped before. */
  #awaited: Exporter | undefined;
  #fingerprint: string;
  #turn: Promise<unknown> = Promise.resolve();
  #stopped = false;

  constructor(exporter: Exporter, fingerprint: string, context: CommandContext) {
    this.#shown = exporter;
    this.#polling = exporter;
    this.#fingerprint = fingerprint;
    this.#context = context;
    this.#log = context.log;
  }

  /** The one to ask for pages. */
  get shown(): Exporter {
    return this.#shown;
  }

  /** Calls `listener` when another configuration is in force. */
  onChange(listener: (config: Config) => void): void {
    this.#listeners.add(listener);
  }

  /** Reads the configuration again and, when it is a right and another one, puts it in force. One at a time; never rejects. */
  reload(source: ReloadSource, graceMs: number): Promise<Reloaded> {
    const outcome = this.#turn.then(() => this.#reload(source, graceMs));
    this.#turn = outcome;
    return outcome;
  }

  /** Stops for good, after a reload that is under way. */
  async stop(graceMs: number): Promise<void> {
    this.#stopped = true;
    await this.#turn;
    this.#awaited = undefined;
    await Promise.all([...new Set([this.#polling, this.#shown])].map((exporter) => exporter.stop(graceMs)));
  }

  async #reload(source: ReloadSource, graceMs: number): Promise<Reloaded> {
    if (this.#stopped) return { kind: "refused", message: "the exporter stops" };
    let checked: CheckedConfig;
    try {
      checked = await source.load();
      // What it takes to push can be wrong too, and must be known before the old one is stopped.
      if (checked.fingerprint !== this.#fingerprint) await (await source.openPush(checked.config))?.close();
    } catch (error) {
      const message = describeError(error);
      this.#log.error({ err: error }, "the configuration was not reloaded: the one that ran before still does");
      for (const exporter of [this.#shown, this.#polling]) this.#noteReload(exporter, false);
      return { kind: "refused", message };
    }
    if (checked.fingerprint === this.#fingerprint) {
      this.#log.info("the configuration is what it was");
      for (const exporter of [this.#shown, this.#polling]) this.#noteReload(exporter, true);
      return { kind: "unchanged" };
    }
    await this.#replace(checked, source, graceMs);
    return { kind: "applied" };
  }

  async #replace({ config, fingerprint }: CheckedConfig, source: ReloadSource, graceMs: number): Promise<void> {
    this.#awaited = undefined;
    await this.#polling.halt(graceMs);
    const next = new Exporter(config, this.#context, await source.openPush(config));
    this.#polling = next;
    this.#awaited = next;
    this.#fingerprint = fingerprint;
    this.#log.info({ servers: config.servers.map(({ name }) => name) }, "the configuration was reloaded");
    void this.#showWhenPolled(next, config);
  }

  async #showWhenPolled(next: Exporter, config: Config): Promise<void> {
    await next.start();
    // Nobody shall see the page as it was before the first poll.
    await next.exposition.refresh();
    if (this.#awaited !== next) return;
    this.#awaited = undefined;
    const { exposition } = this.#shown;
    this.#shown = next;
    exposition.stop();
    for (const listener of this.#listeners) listener(config);
  }

  #noteReload({ metrics }: Exporter, worked: boolean): void {
    metrics.configReloadSuccessful.set(worked ? 1 : 0);
    if (worked) metrics.configReloadTime.set(this.#context.clock.now() / 1_000);
  }
}
