import { STANDARD_OUTPUT } from "../config/events-schema.ts";
import type { Config } from "../config/load.ts";
import { EventMemory } from "../events/event-memory.ts";
import { fileOutput, jsonLinesSinks, streamOutput } from "../events/json-lines-sink.ts";
import type { EventSink, OpenEventSink } from "../events/sink.ts";
import type { StateClaim } from "../sync/state-claims.ts";
import { checkedFiles, createStateFiles, type JournalFiles } from "../sync/state-files.ts";
import type { EventOutput } from "../telemetry/own-metrics.ts";
import type { CommandContext } from "./context.ts";
import { CLAIM_WAIT_MS, claimState } from "./otlp-preparation.ts";
import type { OtlpPush } from "./otlp-push.ts";

/** What it takes to tell of events, found right; nothing is told yet. */
export interface PreparedEvents {
  readonly config: Config;
  /** Undefined where nothing is remembered. */
  readonly files: JournalFiles | undefined;
  /** To its servers in `state_dir`. */
  readonly claim: StateClaim;
}

/** What is told of one server, and where to. */
export interface EventPlan {
  readonly memory: EventMemory;
  readonly structure: boolean;
  readonly sinks: ReadonlyMap<EventOutput, EventSink>;
}

interface EventOutputsOptions {
  readonly prepared: PreparedEvents;
  readonly openers: ReadonlyMap<EventOutput, OpenEventSink>;
  /** By server. */
  readonly plans: ReadonlyMap<string, EventPlan>;
}

/**
 * Where events go under one configuration. A reload makes another one, which has the same sinks and the same memory where
 * these are to stay.
 */
export class EventOutputs {
  readonly options: EventOutputsOptions;

  constructor(options: EventOutputsOptions) {
    this.options = options;
  }

  /** Undefined for a server that the configuration does not have. */
  of(server: string): EventPlan | undefined {
    return this.options.plans.get(server);
  }

  /** Gives back what was claimed. Call when nothing is told by this one any more. */
  async end(): Promise<void> {
    await this.options.prepared.claim.release();
  }
}

/**
 * Undefined where no output is configured. What it resolves with is to be begun, or to be discarded.
 * @param waitMs For another process that remembers one of the servers in the same `state_dir`.
 * @throws ExporterError STATE_DIR_BUSY
 */
export async function prepareEvents(
  config: Config,
  context: CommandContext,
  waitMs = 0,
): Promise<PreparedEvents | undefined> {
  const { events, otlp, stateDir } = config;
  if (events.file === undefined && otlp?.events !== true) {
    if (events.structure) context.log.warn("events.structure has no effect without events.file or otlp.events");
    return undefined;
  }
  if (stateDir === undefined) {
    context.log.warn("state_dir is not set: statuses that change while the exporter is down are no events");
  }
  const claim = await claimState(config, context, waitMs);
  const files = stateDir === undefined ? undefined : checkedFiles(createStateFiles(stateDir), claim.keep);
  return { config, files, claim };
}

/** Gives back what was prepared in vain. */
export async function discardEvents({ claim }: PreparedEvents): Promise<void> {
  await claim.release();
}

/**
 * The events that the configuration asks for, at the start; undefined where it asks for none.
 * @throws ExporterError STATE_DIR_BUSY
 */
export async function openEvents(
  config: Config,
  context: CommandContext,
  push: OtlpPush | undefined,
): Promise<EventOutputs | undefined> {
  const prepared = await prepareEvents(config, context, CLAIM_WAIT_MS);
  return prepared && beginEvents(prepared, push, undefined, context);
}

/**
 * Goes on from what was told before: by `before`, which is to be ended then, or by an earlier process. Never rejects.
 * @param push That of the same configuration.
 */
export async function beginEvents(
  prepared: PreparedEvents,
  push: OtlpPush | undefined,
  before: EventOutputs | undefined,
  context: CommandContext,
): Promise<EventOutputs> {
  const { config, files } = prepared;
  const past = before?.options;
  const isSamePlace = past?.prepared.config.stateDir === config.stateDir;
  const openers = openersOf(config, push, past);
  const plans = new Map<string, EventPlan>();
  for (const { name } of config.servers) {
    const known = past?.plans.get(name);
    const memory = (isSamePlace && known?.memory) || (await openMemory(name, files, context));
    const sinks = [...openers].map(([output, open]) => {
      const same = past?.openers.get(output) === open ? known?.sinks.get(output) : undefined;
      return [output, same ?? open(name)] as const;
    });
    plans.set(name, { memory, structure: config.events.structure, sinks: new Map(sinks) });
  }
  return new EventOutputs({ prepared, openers, plans });
}

function openersOf(
  { events: { file }, otlp }: Config,
  push: OtlpPush | undefined,
  past: EventOutputsOptions | undefined,
): ReadonlyMap<EventOutput, OpenEventSink> {
  const openers = new Map<EventOutput, OpenEventSink>();
  if (file !== undefined) {
    const same = past?.prepared.config.events.file === file ? past.openers.get("file") : undefined;
    openers.set(
      "file",
      same ?? jsonLinesSinks(file === STANDARD_OUTPUT ? streamOutput(process.stdout) : fileOutput(file)),
    );
  }
  if (otlp?.events === true && push?.openEvents !== undefined) openers.set("otlp", push.openEvents);
  return openers;
}

async function openMemory(
  server: string,
  files: JournalFiles | undefined,
  { log }: CommandContext,
): Promise<EventMemory> {
  if (files === undefined) return EventMemory.none(server);
  const memory = await EventMemory.open(server, files);
  const { found, file, message } = memory.report;
  const fields = { server, file, objects: memory.before.told.size, pending: memory.before.events.length };
  if (found === "good") log.info(fields, "going on from the events that were told before");
  else if (found !== "new") {
    log.warn({ server, file, found }, `statuses are events from the next change on: ${message ?? found}`);
  }
  return memory;
}
