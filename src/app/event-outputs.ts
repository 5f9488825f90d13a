import type { Logger } from "pino";
import type { Config } from "../config/load.ts";
import { STANDARD_OUTPUT } from "../config/schema.ts";
import type { EventSink, OpenEventSink } from "../events/event.ts";
import { EventMemory } from "../events/event-memory.ts";
import type { EventOutput } from "../events/event-names.ts";
import { fileOutput, jsonLinesSinks, streamOutput } from "../events/json-lines-sink.ts";
import { otlpSettings } from "../otlp/settings.ts";
import type { StateClaim } from "../state/state-claims.ts";
import type { JournalFiles } from "../state/state-files.ts";
import type { ClientContext } from "./context.ts";
import { CLAIM_WAIT_MS, forgetfulFiles, withClaim } from "./otlp-preparation.ts";
import type { connectEventReceiver, EventReceiver } from "./otlp-receiver.ts";
import { refuseNewerJournals } from "./state-versions.ts";

/** Everything that event outputs need, read and checked; nothing is sent yet. */
export interface PreparedEvents {
  readonly config: Config;
  /** `undefined` without `state_dir`. */
  readonly files: JournalFiles | undefined;
  /** Claim to its servers in `state_dir`. */
  readonly claim: StateClaim;
  /** `undefined` if push is disabled. */
  readonly receiver: EventReceiver | undefined;
}

export interface EventPlan {
  readonly memory: EventMemory;
  readonly structure: boolean;
  readonly sinks: ReadonlyMap<EventOutput, EventSink>;
}

interface EventOutputsOptions {
  readonly prepared: PreparedEvents;
  /** The receiver of the outputs before, if it stays. */
  readonly receiver: EventReceiver | undefined;
  readonly openers: ReadonlyMap<EventOutput, OpenEventSink>;
  readonly plans: ReadonlyMap<string, EventPlan>;
}

/** Event outputs of one configuration. A reload creates another one with the same sinks and memory, if these stay. */
export class EventOutputs {
  readonly options: EventOutputsOptions;

  constructor(options: EventOutputsOptions) {
    this.options = options;
  }

  of(server: string): EventPlan | undefined {
    return this.options.plans.get(server);
  }

  /** Releases the claim, and closes connections that `next` does not use. Call after the last event. */
  async end(next?: EventOutputs): Promise<void> {
    const { receiver, prepared } = this.options;
    if (receiver !== next?.options.receiver) await receiver?.close();
    await prepared.claim.release();
  }
}

/**
 * `undefined` without an output. The caller begins or discards the result.
 * @param waitMs For another process that holds a server in the same `state_dir`.
 * @throws ExporterError STATE_DIR_BUSY, STATE_FILE_NEWER, and for unusable files and settings
 */
export async function prepareEvents(
  config: Config,
  context: ClientContext,
  env: NodeJS.ProcessEnv,
  waitMs = 0,
): Promise<PreparedEvents | undefined> {
  const { events, stateDir } = config;
  // `prepareOtlpPush` logs its warnings.
  const { logs } = otlpSettings(env, config.otlp);
  if (events.file === undefined && logs === undefined) {
    if (events.structure) context.log.warn("events.structure has no effect without events.file or otlp.events");
    return undefined;
  }
  if (stateDir === undefined) {
    context.log.warn("state_dir is not set: status changes while the exporter is down create no events");
  }
  return withClaim(config, context, waitMs, async (claim, files) => {
    await refuseNewerJournals(config);
    const receiver = logs && (await connect(logs, config, files ?? forgetfulFiles(), context));
    return { config, files, claim, receiver };
  });
}

export async function discardEvents({ claim, receiver }: PreparedEvents): Promise<void> {
  await Promise.all([receiver?.close(), claim.release()]);
}

/**
 * At the start; `undefined` without an output.
 * @throws ExporterError STATE_DIR_BUSY, and for unusable files and settings
 */
export async function openEvents(
  config: Config,
  context: ClientContext,
  env: NodeJS.ProcessEnv,
): Promise<EventOutputs | undefined> {
  const prepared = await prepareEvents(config, context, env, CLAIM_WAIT_MS);
  return prepared && beginEvents(prepared, undefined, context.log);
}

/** Continues after the events of `before`, which the caller ends, or of an earlier process. Never rejects. */
export async function beginEvents(
  prepared: PreparedEvents,
  before: EventOutputs | undefined,
  log: Logger,
): Promise<EventOutputs> {
  const { config, files } = prepared;
  const past = before?.options;
  const isSamePlace = past?.prepared.config.stateDir === config.stateDir;
  const receiver = await keepEventReceiver(prepared.receiver, past?.receiver);
  if (receiver !== undefined && receiver !== past?.receiver) {
    const { url, protocol } = receiver.address;
    log.info({ endpoint: url, protocol }, "pushing events by OTLP");
  }
  const openers = openersOf(config, receiver, past);
  const plans = new Map<string, EventPlan>();
  for (const { name } of config.servers) {
    const known = past?.plans.get(name);
    const memory = (isSamePlace && known?.memory) || (await openMemory(name, files, log));
    const sinks = [...openers].map(([output, open]) => {
      const same = past?.openers.get(output) === open ? known?.sinks.get(output) : undefined;
      return [output, same ?? open(name)] as const;
    });
    plans.set(name, { memory, structure: config.events.structure, sinks: new Map(sinks) });
  }
  return new EventOutputs({ prepared, receiver, openers, plans });
}

/** Loaded only if events are pushed. */
async function connect(...given: Parameters<typeof connectEventReceiver>): Promise<EventReceiver> {
  const { connectEventReceiver } = await import("./otlp-receiver.ts");
  return connectEventReceiver(...given);
}

/** `before` if both are the same, and then closes `next`. */
export async function keepEventReceiver(
  next: EventReceiver | undefined,
  before: EventReceiver | undefined,
): Promise<EventReceiver | undefined> {
  if (next === undefined || next.digest !== before?.digest) return next;
  await next.close();
  return before;
}

function openersOf(
  { events: { file } }: Config,
  receiver: EventReceiver | undefined,
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
  if (receiver !== undefined) openers.set("otlp", receiver.openSink);
  return openers;
}

async function openMemory(server: string, files: JournalFiles | undefined, log: Logger): Promise<EventMemory> {
  if (files === undefined) return EventMemory.none(server);
  const memory = await EventMemory.open(server, files);
  const { found, file, message } = memory.report;
  const fields = { server, file, objects: memory.before.statuses.size, pending: memory.before.events.length };
  if (found === "good") log.info(fields, "resuming events after the last recorded one");
  else if (found !== "new") {
    log.warn({ server, file, found }, `events start with the next status change: ${message ?? found}`);
  }
  return memory;
}
