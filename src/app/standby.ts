import type { Logger } from "pino";
import type { Config } from "../config/load.ts";
import type { ReloadSource } from "./config-reloader.ts";

/**
 * The configuration of a replica that stands by: it reads no server, pushes nothing, and touches no folder. What the page looks
 * like and who may see it stays. To lead is to reload the whole configuration.
 */
export function standbyConfig(config: Config): Config {
  return {
    ...config,
    servers: [],
    standbyFor: config.servers.map(({ name }) => name),
    otlp: undefined,
    events: { file: undefined, structure: false },
    stateDir: undefined,
  };
}

/** Gives a replica its configuration: as one that stands by until it leads, the whole from then on. */
export class StandbySource implements ReloadSource {
  readonly #source: ReloadSource;
  readonly #log: Logger;
  /** The last one that was right. */
  #known: Config;
  #role: "standby" | "taking over" | "leader" = "standby";

  /** `config`: what `source` gave at the start. */
  constructor(source: ReloadSource, config: Config, log: Logger) {
    this.#source = source;
    this.#known = config;
    this.#log = log;
  }

  /** What is loaded from now on is for the leader. */
  lead(): void {
    this.#role = "taking over";
  }

  /** A fault in what was changed while it stood by must not keep a replica from taking over. */
  readonly load = async (): Promise<Config> => {
    const role = this.#role;
    try {
      this.#known = await this.#source.load();
    } catch (err) {
      if (role !== "taking over") throw err;
      this.#log.error({ err }, "the configuration is wrong: this replica takes over with the one that was right last");
    }
    if (role === "standby") return standbyConfig(this.#known);
    this.#role = "leader";
    return this.#known;
  };

  readonly preparePush: ReloadSource["preparePush"] = async (config) =>
    config.standbyFor === undefined ? this.#source.preparePush(config) : undefined;

  readonly prepareEvents: ReloadSource["prepareEvents"] = async (config) =>
    config.standbyFor === undefined ? this.#source.prepareEvents(config) : undefined;
}
