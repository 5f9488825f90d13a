import pLimit from "p-limit";
import { attempt, type DeliveryFailure, DeliveryLoop, type Pass, type Pause } from "../delivery/delivery-loop.ts";
import type { Runtime } from "../lib/runtime.ts";
import type { NodeWatcher } from "../model/state-observer.ts";
import { type StateReport, watchWrites } from "../state/state-files.ts";
import type { EventRecorder } from "../telemetry/recorders.ts";
import { ChangeDetector, type ChangeDetectorOptions, type Finding } from "./change-detector.ts";
import type { EventSink } from "./event.ts";
import { type EventMemory, type JournalEntry, type Remembered, statusLine } from "./event-memory.ts";
import type { EventOutput } from "./event-names.ts";
import { EventQueue, type QueueBounds, type QueuedEvent } from "./event-queue.ts";

const BOUNDS: QueueBounds = { maxEvents: 20_000, maxSize: 32 << 20 };
/** Bounds of a batch. */
const BATCH_EVENTS = 500;
const BATCH_SIZE = 1 << 20;
/** Findings in one line of the journal. */
const ENTRY_FINDINGS = 200;

const CONSEQUENCE = "After a crash, the exporter would repeat events since the last successful write";

export interface ServerEventsOptions extends Pick<ChangeDetectorOptions, "server" | "structure" | "deviceOf">, Runtime {
  readonly memory: EventMemory;
  readonly observer: EventRecorder;
  readonly bounds?: QueueBounds;
}

/**
 * The events of one server. Writes an event with its status to the journal before outputs get it, and records at once
 * what outputs settle. Only a kill in between repeats an event, with the same `uid`.
 */
export class ServerEvents {
  readonly #options: ServerEventsOptions;
  readonly #detector: ChangeDetector;
  readonly #queue: EventQueue;
  readonly #outputs = new Map<EventOutput, EventDelivery>();
  readonly #watch: ReturnType<typeof watchWrites>;
  #memory: EventMemory;
  readonly #oneAtATime = pLimit(1);
  /** Written to the journal, or given up. */
  #noted: number;
  /** Numbers of an earlier process, before outputs are known. */
  #settledBefore: ReadonlyMap<string, number>;
  #started = false;

  constructor(options: ServerEventsOptions) {
    const { memory, clock, observer, bounds = BOUNDS } = options;
    this.#options = options;
    this.#memory = memory;
    this.#settledBefore = memory.before.settled;
    this.#queue = new EventQueue(bounds, memory.before.events, memory.before.next);
    this.#noted = this.#queue.next - 1;
    const onFailed = () => observer.memoryFailed();
    this.#watch = watchWrites({ ...options, what: "the event journal", consequence: CONSEQUENCE, onFailed });
    this.#detector = new ChangeDetector({
      ...options,
      now: () => clock.now(),
      earlier: memory.before.statuses,
      hasRoom: (events, size) => this.#queue.hasRoom(events, size),
      onFindings: (findings) => this.#found(findings),
      onMerged: () => observer.dropped({ reason: "merged" }),
      onDropped: (events) => observer.dropped({ reason: "full" }, events),
    });
  }

  get watcher(): NodeWatcher {
    return this.#detector;
  }

  get report(): StateReport {
    return this.#memory.report;
  }

  /** Also report added, removed, renamed and moved objects from now on. */
  reportStructure(structure: boolean): void {
    this.#detector.reportStructure(structure);
  }

  /**
   * Keeps unchanged sinks. A new sink of a known output continues there. A new output gets new events. Resolves when
   * the others have ended, within `graceMs`.
   */
  async deliverTo(sinks: ReadonlyMap<EventOutput, EventSink>, graceMs = 0): Promise<void> {
    const ended = [...this.#outputs].filter(([name, { sink }]) => sinks.get(name) !== sink);
    for (const [name] of ended) this.#outputs.delete(name);
    if (ended.length > 0) await Promise.all(ended.map(([, loop]) => loop.end(graceMs)));
    this.#queue.attach([...sinks.keys()], this.#settledBefore);
    // Another place has other numbers.
    this.#settledBefore = new Map();
    for (const [name, sink] of sinks) {
      if (!this.#outputs.has(name)) this.#outputs.set(name, this.#createLoop(name, sink));
    }
    for (const [name] of ended) this.#showPending(name);
    for (const name of sinks.keys()) this.#showPending(name);
    // A kill must not bring back former outputs.
    if (this.#started) void this.#note([{ settled: this.#settled() }]);
    if (this.#started) this.#startLoops();
  }

  start(): void {
    this.#started = true;
    void this.#note([{ settled: this.#settled() }]);
    this.#startLoops();
  }

  /** Continues in another place, and replaces what is there. */
  remember(memory: EventMemory): void {
    if (memory === this.#memory) return;
    this.#memory = memory;
    memory.requireRewrite();
    if (this.#started) void this.#note([]);
  }

  /** Delivers within `graceMs`, and ends. Never rejects. */
  async stop(graceMs: number): Promise<void> {
    // Writes the last findings first.
    const patience = new AbortController();
    await Promise.race([this.#note([]), this.#options.clock.sleep(graceMs, patience.signal).catch(() => undefined)]);
    patience.abort();
    await Promise.all([...this.#outputs.values()].map((loop) => loop.end(graceMs)));
    this.#outputs.clear();
    await this.#note([]);
  }

  #createLoop(output: EventOutput, sink: EventSink): EventDelivery {
    const { observer } = this.#options;
    return new EventDelivery({
      ...this.#options,
      output,
      sink,
      next: () => this.#queue.take(output, this.#noted, BATCH_EVENTS, BATCH_SIZE),
      onSettled: (settled, rejected) => this.#settle(output, settled, rejected),
      onFailed: () => observer.deliveryFailed({ output }),
    });
  }

  #startLoops(): void {
    for (const loop of this.#outputs.values()) loop.start();
  }

  #found(findings: readonly Finding[]): void {
    const { observer } = this.#options;
    const entries: JournalEntry[] = [];
    for (let index = 0; index < findings.length; index += ENTRY_FINDINGS) {
      const some = findings.slice(index, index + ENTRY_FINDINGS);
      const events = some.flatMap((finding) => finding.events);
      for (const { eventName } of events) observer.told({ event: eventName });
      entries.push({
        seq: this.#queue.add(events),
        events,
        told: some.flatMap(({ status }) => (status === undefined ? [] : [statusLine(...status)])),
        gone: some.flatMap(({ gone }) => (gone === undefined ? [] : [gone])),
      });
    }
    const last = this.#queue.next - 1;
    for (const name of this.#outputs.keys()) this.#showPending(name);
    // Without findings, too, to retry a failed write.
    void this.#note(entries).then(() => {
      this.#noted = Math.max(this.#noted, last);
      for (const loop of this.#outputs.values()) loop.notify();
    });
  }

  /** Resolves when it is noted: the next batch follows. */
  async #settle(output: EventOutput, settled: readonly QueuedEvent[], rejected: number): Promise<void> {
    const { observer } = this.#options;
    if (settled.length > rejected) observer.delivered({ output }, settled.length - rejected);
    if (rejected > 0) observer.dropped({ reason: "rejected" }, rejected);
    this.#queue.settle(output, settled.at(-1)?.seq ?? 0);
    this.#showPending(output);
    await this.#note([{ settled: this.#settled() }]);
  }

  #settled(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#queue.settled);
  }

  #showPending(output: EventOutput): void {
    this.#options.observer.pending({ output }, this.#outputs.has(output) ? this.#queue.pending(output) : 0);
  }

  /** Runs one write at a time. Never rejects. */
  #note(entries: readonly JournalEntry[]): Promise<void> {
    const write = () => this.#memory.write(entries, () => this.#remembered());
    return this.#oneAtATime(() => this.#watch(write));
  }

  #remembered(): Remembered {
    const { events, next, settled } = this.#queue;
    return { statuses: this.#detector.snapshot(), events: [...events], next, settled: new Map(settled) };
  }
}

export interface EventDeliveryOptions extends Pick<ServerEventsOptions, "clock" | "random" | "log"> {
  readonly output: string;
  readonly sink: EventSink;
  /** The next events of this output. */
  readonly next: () => readonly QueuedEvent[];
  /** Called when the output accepted or rejected these permanently. */
  readonly onSettled: (settled: readonly QueuedEvent[], rejected: number) => Promise<void>;
  readonly onFailed: () => void;
}

/** Delivers events to one output, in order and in batches. */
export class EventDelivery extends DeliveryLoop {
  readonly sink: EventSink;
  readonly #options: EventDeliveryOptions;

  constructor(options: EventDeliveryOptions) {
    super(options);
    this.#options = options;
    this.sink = options.sink;
  }

  /** One more attempt within `graceMs`. Never rejects. */
  end(graceMs: number): Promise<void> {
    return this.finish(graceMs, "attempt");
  }

  protected override hasWork(): boolean {
    return this.#options.next().length > 0;
  }

  protected override async deliverNext(cutOff: AbortSignal): Promise<Pass> {
    const { next, sink, onSettled, log, output } = this.#options;
    const batch = next();
    if (batch.length === 0) return { kind: "idle" };
    const events = batch.map(({ event }) => event);
    const outcome = await attempt((signal) => sink.send(events, signal), cutOff);
    if (outcome.kind === "failed") return outcome;
    const settled = outcome.kind === "retry" ? outcome.settled : batch.length;
    const { rejected, message } = outcome;
    if (settled > 0) {
      await onSettled(batch.slice(0, settled), rejected);
      this.backoff.accepted();
    }
    if (rejected > 0) log.warn({ output, events: rejected }, `the output rejected events permanently: ${message}`);
    if (outcome.kind === "retry") return { kind: "failed", retryAfterMs: outcome.retryAfterMs, message };
    if (this.backoff.recovered() > 0) log.info({ output }, "events can be delivered again");
    return { kind: "done" };
  }

  protected override recordFailure({ message }: DeliveryFailure, { ms, failures, isNews }: Pause): void {
    const { log, output, onFailed } = this.#options;
    onFailed();
    if (!isNews) return;
    const fields = { output, failures, retry_in_ms: Math.round(ms) };
    log.warn(fields, `cannot deliver events, retrying: ${message}`);
  }
}
