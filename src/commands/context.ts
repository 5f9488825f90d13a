import { readFile } from "node:fs/promises";
import type { Logger } from "pino";
import { type Clock, systemClock } from "../clock.ts";
import type { Environment } from "../config/interpolation.ts";
import { type LoadedConfig, loadConfig } from "../config/load.ts";
import type { Redactor } from "../errors/redactor.ts";
import { type BuildInfo, readBuildInfo } from "../telemetry/build-info.ts";
import { createLogger } from "../telemetry/logger.ts";
import type { ConfigFlags, LogFlags } from "./flags.ts";
import { mappingOf } from "./mapping.ts";

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

/** To be called once: from then on a fault that nobody caught is logged and ends the process. */
export function createContext(flags: LogFlags, redactor: Redactor): CommandContext {
  const log = createLogger({
    level: flags["log.level"],
    format: flags["log.format"],
    redactor,
    output: process.stderr,
    colour: process.stderr.isTTY && process.env.NO_COLOR === undefined,
  });
  endOnUncaughtFaults(log);
  return {
    build: readBuildInfo(process.env),
    clock: systemClock,
    random: Math.random,
    redactor,
    log,
    print: (text) => void process.stdout.write(`${redactor.redact(text)}\n`),
  };
}

/** Nobody knows what still works after such a fault: whoever started the process starts it anew. */
function endOnUncaughtFaults(log: Logger): void {
  process.on("uncaughtException", (error: unknown, origin) => {
    const stack = error instanceof Error ? error.stack : undefined;
    log.fatal({ err: error, stack, origin }, "a fault of the exporter itself: please report it with this line");
    process.exit(1);
  });
}

/**
 * `env`: other variables than those of the process.
 * @throws ConfigError
 */
export async function loadFlaggedConfig(
  flags: ConfigFlags,
  context: CommandContext,
  env: Environment = process.env,
): Promise<LoadedConfig> {
  const loaded = await loadConfig({
    file: flags["config.file"],
    env,
    readFile: (path) => readFile(path, "utf8"),
    redactor: context.redactor,
  });
  const variables = loaded.ignoredVariables.filter((name) => env[name] === process.env[name]);
  if (variables.length > 0) {
    context.log.warn({ variables }, "environment variables are not used: the configuration file has servers");
  }
  for (const { location, key, text } of mappingOf(loaded.config).warnings) {
    context.log.warn({ location, key }, `a rule without effect: ${text}`);
  }
  return loaded;
}
