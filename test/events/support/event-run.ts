import { pino } from "pino";
import type { EventRecord, EventSink, SendOutcome } from "../../../src/events/event.ts";
import { EventMemory } from "../../../src/events/event-memory.ts";
import type { QueueBounds } from "../../../src/events/event-queue.ts";
import { ServerEvents } from "../../../src/events/server-events.ts";
import type { Clock } from "../../../src/lib/clock.ts";
import type { NodePoll } from "../../../src/model/tree.ts";
import type { JournalFiles } from "../../../src/state/state-files.ts";
import { eventRecorder } from "../../../src/telemetry/recorders.ts";
import { emptyMetrics } from "../../support/exporter-metrics.ts";
import type { ManualClock } from "../../support/manual-clock.ts";
import { monitoredState } from "./monitored-site.ts";

/** They outlive a process and may fail. */
interface Disk {
  readonly files: Map<string, string>;
  isFull: boolean;
}

export function emptyDisk(): Disk {
  return { files: new Map(), isFull: false };
}

/** May be down, reject, or accept partially. */
interface Receiver {
  readonly got: EventRecord[];
  answer: "accepted" | "rejected" | "retry" | "partly";
}

export function receiver(): Receiver {
  return { got: [], answer: "accepted" };
}

/** A kill stops all results, between any two steps. */
async function step<Result>(clock: Clock, life: AbortSignal, act: () => Result): Promise<Result> {
  await clock.sleep(10);
  if (life.aborted) return new Promise(() => undefined);
  const result = act();
  await clock.sleep(10);
  return life.aborted ? new Promise(() => undefined) : result;
}

export function filesOn(disk: Disk, clock: Clock, life: AbortSignal): JournalFiles {
  const { files } = disk;
  const check = () => {
    if (disk.isFull) throw new Error("ENOSPC: no space left on device");
  };
  return {
    read: async (name) => files.get(name),
    write: (name, text) =>
      step(clock, life, () => {
        check();
        files.set(name, text);
      }),
    append: (name, text) =>
      step(clock, life, () => {
        // Writes a part.
        if (disk.isFull) files.set(name, `${files.get(name) ?? ""}${text.slice(0, text.length / 2)}`);
        check();
        files.set(name, `${files.get(name) ?? ""}${text}`);
      }),
    rename: (from, to) =>
      step(clock, life, () => {
        files.set(to, files.get(from) ?? "");
        files.delete(from);
      }),
    syncDirectory: () => step(clock, life, () => undefined),
  };
}

function sinkTo(target: Receiver, clock: Clock, life: AbortSignal): EventSink {
  return {
    send: (batch) =>
      step(clock, life, (): SendOutcome => {
        const { answer } = target;
        if (answer === "accepted" || answer === "partly") {
          const taken = answer === "partly" ? batch.slice(0, Math.floor(batch.length / 2)) : batch;
          target.got.push(...taken);
          if (taken.length === batch.length) return { kind: "accepted", rejected: 0, message: "" };
          return { kind: "retry", settled: taken.length, rejected: 0, retryAfterMs: undefined, message: "busy" };
        }
        if (answer === "rejected") return { kind: "accepted", rejected: batch.length, message: "no" };
        return { kind: "retry", settled: 0, rejected: 0, retryAfterMs: undefined, message: "out" };
      }),
  };
}

export async function startEventRun(clock: ManualClock, disk: Disk, target: Receiver, bounds?: QueueBounds) {
  const life = new AbortController();
  const { state, poll } = monitoredState(clock);
  const metrics = emptyMetrics();
  const lines: { readonly level: number; readonly msg: string }[] = [];
  const memory = await EventMemory.open("hq", filesOn(disk, clock, life.signal));
  const events = new ServerEvents({
    server: "hq",
    memory,
    structure: false,
    deviceOf: () => undefined,
    clock,
    random: () => 0.5,
    log: pino({ level: "info" }, { write: (line) => void lines.push(JSON.parse(line)) }),
    observer: eventRecorder(metrics, "hq"),
    ...(bounds && { bounds }),
  });
  await events.deliverTo(new Map([["otlp", sinkTo(target, clock, life.signal)]]));
  state.watchNodes(events.watcher);
  events.start();
  return {
    ...{ events, metrics, lines, memory },
    poll: (nodes: NodePoll) => poll(nodes),
    sinkTo: (other: Receiver) => sinkTo(other, clock, life.signal),
    /** Like SIGKILL: aborts everything in flight. */
    kill: () => life.abort(),
  };
}
