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
import { systemClock } from "../lib/clock.ts";
import { LogOnChange } from "../lib/log-on-change.ts";
import { MemoryBudget } from "../lib/memory-budget.ts";
import type { Runtime } from "../lib/runtime.ts";
import { Receivers } from "../otlp/receivers.ts";
import { ServerAccesses } from "../prtg/request/server-access.ts";
import { type BuildInfo, readBuildInfo } from "../telemetry/build-info.ts";
import { createLogger, type LogFormat, type LogLevel, layoutOf } from "../telemetry/logger.ts";
import { mappingOf } from "./mapping.ts";
import { memoryForObjects } from "./object-memory.ts";

/** Share of the heap for measurements that wait: the exporter can read them again. */
const PENDING_SHARE = 0.15;

export interface FlagWarnings {
  /** Warnings about deprecated flags. */
  readonly deprecated?: readonly string[];
}

export interface LogFlags extends FlagWarnings {
  readonly "log.level": LogLevel;
  readonly "log.format": LogFormat;
}

export interface ConfigFlags extends FlagWarnings {
  readonly "config.file"?: string;
  /** `undefined`: all servers of the configuration. */
  readonly shard?: Shard;
}

/** The election in which this replica takes part. */
export interface Leadership {
  /** The Lease: `namespace/name`. */
  readonly lease: string;
  /** Name of this replica in the Lease. */
  readonly identity: string;
  /** Whether this replica may send requests at this moment. */
  readonly isLeading: boolean;
  /** The identity of the leader, if this replica knows it. */
  readonly holder: string | undefined;
}

/**
 * The check before each outgoing request. A paused process resumes in the middle of its work, before any timer fires, when
 * another replica may lead already.
 */
export function permitOf(leadership: Leadership | undefined): (() => void) | undefined {
  if (leadership === undefined) return undefined;
  return () => {
    if (!leadership.isLeading) throw new Error("this replica is not the leader: it sends nothing");
  };
}

/** What the work of a whole process needs. */
export interface ProcessRuntime extends Runtime {
  readonly build: BuildInfo;
  readonly redactor: Redactor;
}

/** What all outgoing requests share. */
export interface Outgoing {
  /** Shared by entries of `servers` that are the same server. */
  readonly accesses: ServerAccesses;
  /** Shared by connections to an OTLP receiver, before and after a reload. */
  readonly receivers: Receivers;
  /** Throws if this replica does not lead; `undefined` without an election. */
  readonly permit?: (() => void) | undefined;
}

export interface MemoryBudgets {
  /** Answers and state. */
  readonly objects: MemoryBudget;
  /** Measurements that wait for the receiver. */
  readonly pending: MemoryBudget;
}

/** For clients of OTLP receivers. */
export interface ClientContext extends ProcessRuntime {
  readonly outgoing: Outgoing;
}

/** For clients of monitoring servers. */
export interface ServerClientContext extends ClientContext {
  readonly memory: MemoryBudgets;
}

export interface ExporterContext extends ServerClientContext {
  /** Busy time of the event loop since the start, milliseconds. */
  readonly eventLoopBusyMs: () => number;
  /** `undefined` without an election. */
  readonly leadership?: Leadership | undefined;
}

/** Everything a command works with. Functions take the part that they use. */
export interface CommandContext extends ExporterContext {
  /** Results for people and pipes; log lines go to standard error. */
  readonly print: (text: string) => void;
  /** Logs each warning once: a reload does not repeat it. */
  readonly warnOnce: (text: string) => void;
}

/** Call once: from then on an uncaught fault is logged and ends the process. */
export async function createContext(flags: LogFlags, redactor: Redactor): Promise<CommandContext> {
  const colour = process.stderr.isTTY && process.env.NO_COLOR === undefined;
  const layout = await layoutOf(flags["log.format"], colour);
  const log = createLogger({ level: flags["log.level"], layout, redactor, output: process.stderr });
  endOnUncaughtFaults(log);
  const warnOnce = warningsOnce(log);
  for (const text of flags.deprecated ?? []) warnOnce(text);
  const heapBytes = getHeapStatistics().heap_size_limit;
  return {
    build: readBuildInfo(process.env),
    clock: systemClock,
    random: Math.random,
    redactor,
    log,
    warnOnce,
    print: (text) => void process.stdout.write(`${redactor.redact(text)}\n`),
    memory: {
      objects: new MemoryBudget(memoryForObjects(heapBytes)),
      pending: new MemoryBudget(heapBytes * PENDING_SHARE),
    },
    outgoing: { accesses: new ServerAccesses(), receivers: new Receivers(systemClock) },
    eventLoopBusyMs: () => performance.eventLoopUtilization().active,
  };
}

/** The service manager restarts the process. */
function endOnUncaughtFaults(log: Logger): void {
  process.on("uncaughtException", (error: unknown, origin) => {
    const stack = error instanceof Error ? error.stack : undefined;
    log.fatal({ err: error, stack, origin }, "internal error of the exporter: please report it with this line");
    process.exit(1);
  });
}

export function warningsOnce(log: Logger): CommandContext["warnOnce"] {
  const known = new LogOnChange();
  return (text) => {
    if (known.record(text)) log.warn(text);
  };
}

function logServerFiles({ badServerFiles, unmatchedPatterns }: LoadedConfig, log: Logger): void {
  for (const { path, error, kept } of badServerFiles) {
    const becomes = kept.length > 0 ? "its servers keep their previous configuration" : "its servers are not read";
    log.error({ err: error, file: path, servers: kept }, `invalid file of servers_from: ${becomes}`);
  }
  if (unmatchedPatterns.length > 0) log.warn({ files: unmatchedPatterns }, "no file matches this path of servers_from");
}

/** `undefined` on Windows. */
export async function readAccess(path: string): Promise<FileAccess | undefined> {
  if (process.platform === "win32") return undefined;
  const { mode, uid } = await withinTime(path, () => stat(path));
  return { mode, ofRoot: uid === 0 };
}

/** Bounded in time and size. */
export function readText(path: string): Promise<string> {
  return readTextFile(path);
}

/**
 * The configuration; with `--shard` only the servers of the shard.
 * @throws ConfigError
 */
export async function loadFlaggedConfig(
  flags: ConfigFlags,
  { log, redactor, warnOnce }: Pick<CommandContext, "log" | "redactor" | "warnOnce">,
  env: Environment = process.env,
  read: ReadFile = readText,
  serverFiles: ServerFileAccess = { listFiles: filesMatching, readFile: read, lastGood: new Map() },
  sync = false,
): Promise<LoadedConfig> {
  const loaded = await loadConfig({
    file: flags["config.file"],
    env,
    readFile: read,
    readAccess,
    redactor,
    serverFiles,
    sync,
  });
  const ofFile = loaded.config.deprecated ?? [];
  for (const text of loaded.exposedSecrets) warnOnce(`${text}. To refuse such files, set strict_secret_files: true`);
  for (const text of ofFile) warnOnce(text);
  logServerFiles(loaded, log);
  const variables = loaded.ignoredVariables.filter((name) => env[name] === process.env[name]);
  if (variables.length > 0) {
    log.warn({ variables }, "environment variables are ignored: the configuration file has servers");
  }
  // Compiles the rules, and throws their errors.
  const { warnings } = mappingOf(loaded.config);
  for (const { location, key, text } of warnings) {
    log.warn({ location, key }, `rule without effect: ${text}`);
  }
  const config = { ...loaded.config, deprecated: [...(flags.deprecated ?? []), ...ofFile] };
  return { ...loaded, config: flags.shard === undefined ? config : configOfShard(config, flags.shard, log) };
}

function configOfShard(config: Config, shard: Shard, log: Logger): Config {
  const servers = serversOnShard(config.servers, shard);
  const fields = { shard: `${shard.index}/${shard.count}`, servers: servers.map(({ name }) => name) };
  if (servers.length > 0) log.info(fields, `serving ${servers.length} of ${config.servers.length} servers`);
  else log.warn(fields, "this shard has no servers: it serves only its own metrics");
  return { ...config, servers, shard };
}
