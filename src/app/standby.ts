import type { Logger } from "pino";
import type { Config } from "../config/load.ts";
import type { ReloadSource } from "./config-reloader.ts";

/** A standby replica reads no server, pushes nothing and uses no folder. To lead, it reloads the whole configuration. */
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

/** The configuration of a standby replica until it leads, then the whole configuration. */
export class StandbySource implements ReloadSource {
  readonly #source: ReloadSource;
  readonly #log: Logger;
  /** The last valid one. */
  #known: Config;
  #role: "standby" | "taking over" | "leader" = "standby";

  /** `config`: of the start. */
  constructor(source: ReloadSource, config: Config, log: Logger) {
    this.#source = source;
    this.#known = config;
    this.#log = log;
  }

  lead(): void {
    this.#role = "taking over";
  }

  /** A wrong change of the files must not prevent a takeover. */
  readonly load = async (): Promise<Config> => {
    const role = this.#role;
    try {
      this.#known = await this.#source.load();
    } catch (err) {
      if (role !== "taking over") throw err;
      this.#log.error({ err }, "the configuration is invalid: this replica takes over with the last valid one");
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
