import type { EventRecord } from "./event.ts";

/** Numbers have no gaps and start at 1. */
export interface QueuedEvent {
  readonly seq: number;
  readonly event: EventRecord;
}

export interface QueueBounds {
  readonly maxEvents: number;
  /** Approximate characters. */
  readonly maxSize: number;
}

/** Names and JSON of each event. */
const FIXED_SIZE = 600;

/** Approximate characters as JSON. */
export function sizeOf({ body, attributes }: EventRecord): number {
  let size = FIXED_SIZE + body.length;
  for (const value of Object.values(attributes)) {
    if (typeof value === "string") size += value.length;
    else if (typeof value === "object") for (const text of value) size += text.length + 3;
  }
  return size;
}

/** A bounded queue for several outputs. An event leaves when all outputs have settled it. */
export class EventQueue {
  readonly #bounds: QueueBounds;
  readonly #settled = new Map<string, number>();
  #events: QueuedEvent[];
  #size: number;
  #next: number;

  /** @param next Number of the next event. */
  constructor(bounds: QueueBounds, before: readonly QueuedEvent[] = [], next = 1) {
    this.#bounds = bounds;
    this.#events = [...before];
    this.#size = before.reduce((sum, { event }) => sum + sizeOf(event), 0);
    this.#next = Math.max(next, (before.at(-1)?.seq ?? 0) + 1);
  }

  get next(): number {
    return this.#next;
  }

  /** Queued for any output. */
  get events(): readonly QueuedEvent[] {
    return this.#events;
  }

  /** So many more, of that size together, fit. */
  hasRoom(events: number, size: number): boolean {
    const { maxEvents, maxSize } = this.#bounds;
    return this.#events.length + events <= maxEvents && this.#size + size <= maxSize;
  }

  /** Returns the number of the first. */
  add(events: readonly EventRecord[]): number {
    const first = this.#next;
    for (const event of events) {
      this.#events.push({ seq: this.#next++, event });
      this.#size += sizeOf(event);
    }
    return first;
  }

  /**
   * Sets the outputs. A new one starts with the next event.
   * @param settled By earlier processes.
   */
  attach(outputs: readonly string[], settled: ReadonlyMap<string, number> = new Map()): void {
    for (const output of outputs) {
      const last = this.#next - 1;
      if (!this.#settled.has(output)) this.#settled.set(output, Math.min(settled.get(output) ?? last, last));
    }
    for (const output of this.#settled.keys()) if (!outputs.includes(output)) this.#settled.delete(output);
    this.#trim();
  }

  /** The last number per output. */
  get settled(): ReadonlyMap<string, number> {
    return this.#settled;
  }

  /** The next events of an output up to a number, within count and size, but at least one. */
  take(output: string, last: number, maxEvents: number, maxSize: number): readonly QueuedEvent[] {
    const taken: QueuedEvent[] = [];
    let size = 0;
    for (let index = this.#indexAfter(output); index < this.#events.length && taken.length < maxEvents; index++) {
      const queued = this.#events[index];
      if (queued === undefined || queued.seq > last) break;
      size += sizeOf(queued.event);
      if (taken.length > 0 && size > maxSize) break;
      taken.push(queued);
    }
    return taken;
  }

  /** The output is done up to this number. */
  settle(output: string, seq: number): void {
    if (!this.#settled.has(output)) return;
    this.#settled.set(output, Math.max(seq, this.#settled.get(output) ?? 0));
    this.#trim();
  }

  pending(output: string): number {
    return this.#events.length - this.#indexAfter(output);
  }

  #indexAfter(output: string): number {
    const first = this.#events[0]?.seq ?? this.#next;
    return Math.max(0, (this.#settled.get(output) ?? this.#next) + 1 - first);
  }

  #trim(): void {
    const settled = Math.min(...this.#settled.values());
    const index = this.#events.findIndex(({ seq }) => seq > settled);
    const gone = this.#events.splice(0, index === -1 ? this.#events.length : index);
    for (const { event } of gone) this.#size -= sizeOf(event);
  }
}
