import { stat } from "node:fs/promises";
import { getHeapStatistics } from "node:v8";
import type { Logger } from "pino";
import type { Environment } from "../config/environment.ts";
import { type Config, type LoadedConfig, loadConfig } from "../config/load.ts";
import type { FileAccess, ReadFile } from "../config/reading-files.ts";
import type { ServerFileAccess } from "../config/server-files.ts";
import { type Shard, serversOnShard } from "../config/shard.ts";
import type { Redactor } from "../errors/redactor.ts";
import { filesMatching, readTextFile, withinTime } from "../lib/bounded-files.ts";
import { type Clock, systemClock } from "../lib/clock.ts";
import { LogOnChange } from "../lib/log-on-change.ts";
import { MemoryBudget } from "../lib/memory-budget.ts";
import { Receivers } from "../otlp/receivers.ts";
import { ServerAccesses } from "../prtg/request/server-access.ts";
import { type BuildInfo, readBuildInfo } from "../telemetry/build-info.ts";
import { createLogger, type LogFormat, type LogLevel, layoutOf } from "../telemetry/logger.ts";
import type { Leadership } from "./leadership.ts";
import { mappingOf } from "./mapping.ts";
import { memoryForObjects } from "./object-memory.ts";

/** Of the heap, for measurements that wait: they can be read again, and what is shown cannot do without the rest. */
const PENDING_SHARE = 0.15;

/** Flags about logging, on every command. */
export interface LogFlags {
  readonly "log.level": LogLevel;
  readonly "log.format": LogFormat;
}

/** Where the configuration is, as the command line says it. */
export interface ConfigFlags {
  readonly "config.file"?: string;
  /** Undefined: all servers of the configuration. */
  readonly shard?: Shard;
}

/** What every command works with: the outside world, handed in once. */
export interface CommandContext {
  readonly build: BuildInfo;
  readonly clock: Clock;
  readonly random: () => number;
  readonly redactor: Redactor;
  readonly log: Logger;
  /** Results for people and pipes; log lines go to standard error. */
  readonly print: (text: string) => void;
  /** For what is read from servers and known of them, all together. */
  readonly memory: MemoryBudget;
  /** For measurements of all servers that wait for the receiver. */
  readonly pendingMemory: MemoryBudget;
  /** What entries of `servers` share where they are the same server. */
  readonly accesses: ServerAccesses;
  /** What connections to an OTLP receiver share, before and after a reload. */
  readonly receivers: Receivers;
  /** For how long the event loop has been busy since the start, milliseconds. */
  readonly eventLoopBusyMs: () => number;
  /** Where replicas elect one of them that works; left out: this one works. */
  readonly leadership?: Leadership | undefined;
}

/** To be called once: from then on an uncaught fault is logged and ends the process. */
export async function createContext(flags: LogFlags, redactor: Redactor): Promise<CommandContext> {
  const colour = process.stderr.isTTY && process.env.NO_COLOR === undefined;
  const layout = await layoutOf(flags["log.format"], colour);
  const log = createLogger({ level: flags["log.level"], layout, redactor, output: process.stderr });
  endOnUncaughtFaults(log);
  return {
    build: readBuildInfo(process.env),
    clock: systemClock,
    random: Math.random,
    redactor,
    log,
    print: (text) => void process.stdout.write(`${redactor.redact(text)}\n`),
    memory: new MemoryBudget(memoryForObjects(getHeapStatistics().heap_size_limit)),
    pendingMemory: new MemoryBudget(getHeapStatistics().heap_size_limit * PENDING_SHARE),
    accesses: new ServerAccesses(),
    receivers: new Receivers(systemClock),
    eventLoopBusyMs: () => performance.eventLoopUtilization().active,
  };
}

/** After such a fault it is not known what still works: the service manager starts the process anew. */
function endOnUncaughtFaults(log: Logger): void {
  process.on("uncaughtException", (error: unknown, origin) => {
    const stack = error instanceof Error ? error.stack : undefined;
    log.fatal({ err: error, stack, origin }, "a fault of the exporter itself: please report it with this line");
    process.exit(1);
  });
}

const warned = new WeakMap<CommandContext, LogOnChange>();

/** A reload is no reason to say it again. */
function warnOnce(context: CommandContext, exposedSecrets: readonly string[]): void {
  const known = warned.get(context) ?? new LogOnChange();
  warned.set(context, known);
  for (const text of exposedSecrets) {
    if (known.record(text)) context.log.warn(`${text}; strict_secret_files: true refuses such files`);
  }
}

function tellServerFiles({ badServerFiles, unmatchedPatterns }: LoadedConfig, { log }: CommandContext): void {
  for (const { path, error, kept } of badServerFiles) {
    const becomes = kept.length > 0 ? "its servers stay as they were" : "none of its servers is served";
    log.error({ err: error, file: path, servers: kept }, `a file of servers_from is wrong: ${becomes}`);
  }
  if (unmatchedPatterns.length > 0) log.warn({ files: unmatchedPatterns }, "no file fits this path of servers_from");
}

/** Undefined where permissions are not those of POSIX. */
export async function readAccess(path: string): Promise<FileAccess | undefined> {
  if (process.platform === "win32") return undefined;
  const { mode, uid } = await withinTime(path, () => stat(path));
  return { mode, ofRoot: uid === 0 };
}

/** From the disk, within a time and up to a size. */
export function readText(path: string): Promise<string> {
  return readTextFile(path);
}

/**
 * The configuration, with `--shard` only the servers of the shard.
 * `env`: other variables than those of the process.
 * @throws ConfigError
 */
export async function loadFlaggedConfig(
  flags: ConfigFlags,
  context: CommandContext,
  env: Environment = process.env,
  read: ReadFile = readText,
  serverFiles: ServerFileAccess = { listFiles: filesMatching, readFile: read, lastGood: new Map() },
): Promise<LoadedConfig> {
  const loaded = await loadConfig({
    file: flags["config.file"],
    env,
    readFile: read,
    readAccess,
    redactor: context.redactor,
    serverFiles,
  });
  warnOnce(context, loaded.exposedSecrets);
  tellServerFiles(loaded, context);
  const variables = loaded.ignoredVariables.filter((name) => env[name] === process.env[name]);
  if (variables.length > 0) {
    context.log.warn({ variables }, "environment variables are not used: the configuration file has servers");
  }
  for (const { location, key, text } of mappingOf(loaded.config).warnings) {
    context.log.warn({ location, key }, `a rule without effect: ${text}`);
  }
  return flags.shard === undefined ? loaded : { ...loaded, config: configOfShard(loaded.config, flags.shard, context) };
}

function configOfShard(config: Config, shard: Shard, { log }: CommandContext): Config {
  const servers = serversOnShard(config.servers, shard);
  const fields = { shard: `${shard.index}/${shard.count}`, servers: servers.map(({ name }) => name) };
  if (servers.length > 0) log.info(fields, `serving ${servers.length} of ${config.servers.length} servers`);
  else log.warn(fields, "no server is on this shard: it serves nothing but its own metrics");
  return { ...config, servers, shard };
}
