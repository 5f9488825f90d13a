import { readFile } from "node:fs/promises";
import type { Logger } from "pino";
import { type Clock, systemClock } from "../clock.ts";
import { type LoadedConfig, loadConfig } from "../config/load.ts";
import { Redactor } from "../errors/redactor.ts";
import { type BuildInfo, readBuildInfo } from "../telemetry/build-info.ts";
import { createLogger } from "../telemetry/logger.ts";
import type { ConfigFlags, LogFlags } from "./flags.ts";

/** What every command works with: the outside world, handed in once. */
export interface CommandContext {
  readonly build: BuildInfo;
  readonly clock: Clock;
  readonly random: () => number;
  readonly redactor: Redactor;
  readonly log: Logger;
  /** Results for people and pipes; log lines go to standard error. */
  readonly print: (text: string) => void;
}

export function createContext(flags: LogFlags): CommandContext {
  const redactor = new Redactor();
  return {
    build: readBuildInfo(process.env),
    clock: systemClock,
    random: Math.random,
    redactor,
    log: createLogger({
      level: flags["log.level"],
      format: flags["log.format"],
      redactor,
      output: process.stderr,
      colour: process.stderr.isTTY && process.env.NO_COLOR === undefined,
    }),
    print: (text) => void process.stdout.write(`${redactor.redact(text)}\n`),
  };
}

/** @throws ConfigError */
export function loadFlaggedConfig(flags: ConfigFlags, context: CommandContext): Promise<LoadedConfig> {
  return loadConfig({
    file: flags["config.file"],
    env: process.env,
    readFile: (path) => readFile(path, "utf8"),
    redactor: context.redactor,
  });
}
