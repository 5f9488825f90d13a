import type { Logger } from "pino";
import { describeFault, ExporterError } from "../errors/exporter-error.ts";
import type { Clock } from "../lib/clock.ts";
import { LogOnChange } from "../lib/log-on-change.ts";
import { mapEntry } from "../lib/map-entry.ts";
import { ApiError } from "../prtg/api-error.ts";
import type { ActionResult } from "../prtg/monitoring-api.ts";
import type { SyncRecorder } from "../telemetry/recorders.ts";
import type { AlertmanagerClient } from "./alertmanager.ts";
import type { AuditLog } from "./audit-log.ts";
import { describeChange } from "./change-table.ts";
import type { Complaint } from "./coverage.ts";
import { type Change, type Decision, decide } from "./decide.ts";
import type { Acknowledged, ServerSide, SyncRules } from "./observed.ts";
import { sensorKey } from "./own-silences.ts";
import type { SyncMemory } from "./sync-memory.ts";

export interface SyncLoopOptions {
  readonly alertmanager: Pick<AlertmanagerClient, "silences" | "alerts" | "putSilence" | "expireSilence">;
  /** Servers whose statuses are fresh. */
  readonly servers: () => ReadonlyMap<string, ServerSide>;
  /** Of all servers. */
  readonly names: readonly string[];
  readonly acknowledge: (
    server: string,
    sensorId: string,
    how: { readonly durationSeconds: number; readonly message: string },
    signal: AbortSignal,
  ) => Promise<ActionResult>;
  readonly memory: SyncMemory;
  /** The memory lacks no acknowledgement since this time, milliseconds since the epoch. */
  readonly knowsSince: number;
  readonly audit: AuditLog;
  readonly rules: SyncRules;
  readonly changesPerMinute: number;
  readonly intervalMs: number;
  /** False in a replica that follows. */
  readonly isLeading: () => boolean;
  readonly clock: Clock;
  readonly log: Logger;
  readonly observer: SyncRecorder;
}

/** A server that is read later than this part of the interval waits for the next round. */
const LATEST = 1.5;
const CHECK_MS = 500;

/** Logs a lasting failure again after this time. */
const REMIND_EVERY_MS = 10 * 60_000;

/** Reads both sides, decides, and changes what one side lacks. */
export class SyncLoop {
  readonly #options: SyncLoopOptions;
  readonly #failures = new Map<string, LogOnChange>();
  #complaints: ReadonlySet<string> = new Set();
  /** Number of the attempt in which a change last failed, by `keyOf`. */
  readonly #failedAt = new Map<string, number>();
  #attempts = 0;
  /** `statusAt` of the servers in the last round. */
  #readAt: ReadonlyMap<string, number> = new Map();

  constructor(options: SyncLoopOptions) {
    this.#options = options;
  }

  /** Until the signal aborts. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.round(signal);
      await this.#untilRead(signal).catch(() => undefined);
    }
  }

  /** Until PRTG was read again: a round compares the present, and not the end of the last round. */
  async #untilRead(signal: AbortSignal): Promise<void> {
    const { clock, intervalMs, servers } = this.#options;
    const end = clock.monotonic() + LATEST * intervalMs;
    const isRead = () => {
      const known = [...servers()];
      return known.length > 0 && known.every(([name, { statusAt }]) => statusAt !== this.#readAt.get(name));
    };
    do await clock.sleep(CHECK_MS, signal);
    while (clock.monotonic() < end && !isRead());
  }

  /** Never rejects. */
  async round(signal: AbortSignal): Promise<void> {
    const { isLeading, observer, clock, memory, names } = this.#options;
    if (!isLeading()) return;
    try {
      const { changes, complaints, forgotten } = await this.decide(signal);
      for (const key of forgotten) memory.acknowledged.delete(key);
      this.#complain(complaints);
      await this.#perform(changes, signal);
      if (names.every((name) => this.#readAt.has(name))) observer.roundEnded(clock.now() / 1_000);
      this.#worked("round");
    } catch (error) {
      if (signal.aborted) return;
      observer.roundFailed();
      this.#failed("round", error, "the next round tries again");
    }
  }

  /** Reads both sides, and changes nothing. Rejects if Alertmanager cannot be read. */
  async decide(signal: AbortSignal): Promise<Decision> {
    const { alertmanager, servers, memory, knowsSince, rules, clock } = this.#options;
    memory.adjustTo(clock.now());
    // Statuses first: a sensor that an older poll shows as down is acknowledged at worst in vain.
    const known = servers();
    this.#readAt = new Map([...known].map(([name, { statusAt }]) => [name, statusAt]));
    const [silences, alerts] = [await alertmanager.silences(signal), await alertmanager.alerts(signal)];
    const { acknowledged } = memory;
    return decide({ now: clock.now(), silences, alerts, servers: known, acknowledged, knowsSince }, rules);
  }

  /** Changes that failed come last, so that they hold up no others. */
  async #perform(changes: readonly Change[], signal: AbortSignal): Promise<void> {
    const { memory, clock, isLeading, changesPerMinute, observer } = this.#options;
    if (changes.length === 0) return observer.waiting(0);
    const keys = new Set(changes.map(keyOf));
    for (const key of this.#failedAt.keys()) if (!keys.has(key)) this.#failedAt.delete(key);
    const failedAt = (change: Change) => this.#failedAt.get(keyOf(change)) ?? 0;
    const failing = new Set<string>();
    let waiting = 0;
    try {
      for (const change of changes.toSorted((a, b) => failedAt(a) - failedAt(b))) {
        if (signal.aborted || !isLeading()) return;
        // One failure of a target in a round says enough.
        if (failing.has(targetOf(change))) continue;
        if (memory.changesBefore(clock.now()) >= changesPerMinute) waiting++;
        else if (!(await this.#attempt(change, signal))) failing.add(targetOf(change));
      }
      observer.waiting(waiting);
    } finally {
      await memory.save();
    }
  }

  /** False if the change failed. Rejects if the memory or the audit log cannot be written: then the change is not sent. */
  async #attempt(change: Change, signal: AbortSignal): Promise<boolean> {
    const { memory, audit, clock, observer, log } = this.#options;
    // An acknowledgement that the sensor has already is of a user, or an earlier one of ours that arrived late.
    const unsent = { until: (change.kind === "acknowledge" && memory.acknowledged.get(keyOf(change))?.until) || 0 };
    memory.noteChange(clock.now());
    this.#remember(change);
    try {
      await memory.save();
      await audit.planned(change);
    } catch (error) {
      this.#remember(change, unsent);
      throw error;
    }
    let result: string;
    let id: string | undefined;
    let failure: unknown;
    try {
      const answer = await this.#change(change, signal, (created) => {
        id = created;
      });
      // Again, because the request can take long.
      this.#remember(change, answer === "done" ? {} : unsent);
      observer.changed(change.kind, answer === "done" ? "done" : "refused");
      if (answer === "done") log.info(`${describeChange(change)}: done`);
      else this.#failedAt.set(keyOf(change), ++this.#attempts);
      result = answer;
    } catch (error) {
      // A refused change was not made. Of others, that is unknown.
      this.#remember(change, isRefusal(error) ? unsent : {});
      if (signal.aborted) return false;
      failure = error;
      observer.changed(change.kind, "failed");
      this.#failedAt.set(keyOf(change), ++this.#attempts);
      result = describeFault(error);
    }
    await audit.ended(change, result, id);
    if (failure === undefined) this.#worked(targetOf(change));
    else this.#failed(targetOf(change), failure, "the next round tries again");
    return failure === undefined;
  }

  #remember(change: Change, more: Partial<Acknowledged> = {}): void {
    if (change.kind !== "acknowledge") return;
    const { memory, clock } = this.#options;
    const { silence, seconds, labels } = change;
    const sentAt = clock.now();
    memory.acknowledged.set(keyOf(change), { silence, sentAt, until: sentAt + seconds * 1_000, labels, ...more });
  }

  async #change(change: Change, signal: AbortSignal, created: (id: string) => void): Promise<ActionResult> {
    const { alertmanager, acknowledge } = this.#options;
    if (change.kind === "acknowledge") {
      const { server, sensorId, seconds, message } = change;
      return acknowledge(server, sensorId, { durationSeconds: seconds, message }, signal);
    }
    if (change.kind === "expire") await alertmanager.expireSilence(change.id, signal);
    else created(await alertmanager.putSilence(change, signal));
    return "done";
  }

  #complain(complaints: readonly Complaint[]): void {
    const { log, observer } = this.#options;
    for (const { about, kind, text } of complaints) {
      if (!this.#complaints.has(`${kind} ${about}`)) log.error({ about }, `${text}: nothing is changed for it`);
    }
    this.#complaints = new Set(complaints.map(({ about, kind }) => `${kind} ${about}`));
    observer.ignored(complaints.length);
  }

  #failed(target: string, error: unknown, consequence: string): void {
    const { clock, log } = this.#options;
    const known = mapEntry(
      this.#failures,
      target,
      () => new LogOnChange({ remindEveryMs: REMIND_EVERY_MS, now: () => clock.monotonic() }),
    );
    if (known.record() === undefined) return;
    const remedy = error instanceof ExporterError ? `. ${error.remedy}` : "";
    log.error({ target }, `${describeFault(error)}: ${consequence}${remedy}`);
  }

  #worked(target: string): void {
    if ((this.#failures.get(target)?.over() ?? 0) > 0) this.#options.log.info({ target }, "works again");
  }
}

/** For logs. Names of servers are other targets. */
function targetOf(change: Change): string {
  return change.kind === "acknowledge" ? change.server : "alertmanager";
}

/** Of an acknowledgement: the key of the sensor. */
function keyOf(change: Change): string {
  if (change.kind === "acknowledge") return sensorKey(change.server, change.sensorId);
  return change.kind === "expire" ? `expire ${change.id}` : change.key;
}

function isRefusal(error: unknown): boolean {
  const status = error instanceof ApiError ? error.httpStatus : undefined;
  return status !== undefined && status >= 400 && status < 500;
}
