import type { StatusToken } from "../prtg/status.ts";

/** The last reported status of an object. */
export interface LastStatus {
  readonly status: StatusToken;
  readonly since: number | undefined;
}

interface Entry extends LastStatus {
  /** A newer status without room in the queue. */
  deferred?: StatusToken | undefined;
}

/** The last reported status of each object, and the newer ones that wait for room in the queue. */
export class LastStatuses {
  readonly #entries = new Map<string, Entry>();

  has(id: string): boolean {
    return this.#entries.has(id);
  }

  /** Whether this was reported last. An unknown or earlier time is nothing new. */
  includes(id: string, status: StatusToken, since: number | undefined): boolean {
    const last = this.#entries.get(id);
    return last?.status === status && (since === undefined || since <= (last.since ?? Number.NaN));
  }

  get(id: string): LastStatus | undefined {
    return this.#entries.get(id);
  }

  set(id: string, { status, since }: LastStatus): void {
    this.#entries.set(id, { status, since });
  }

  /** Returns whether it had a status. */
  clear(id: string): boolean {
    return this.#entries.delete(id);
  }

  /** Returns whether it replaces another deferred status. */
  defer(id: string, status: StatusToken): boolean {
    const entry = this.#entries.get(id);
    if (entry === undefined || entry.deferred === status) return false;
    const replaces = entry.deferred !== undefined;
    entry.deferred = status;
    return replaces;
  }

  /** The status is the reported one again. Returns whether another one was deferred. */
  undefer(id: string): boolean {
    const entry = this.#entries.get(id);
    if (entry?.deferred === undefined) return false;
    entry.deferred = undefined;
    return true;
  }

  deferred(id: string): StatusToken | undefined {
    return this.#entries.get(id)?.deferred;
  }

  /** The statuses of this moment, whatever changes while they are read. */
  snapshot(): readonly (readonly [id: string, status: LastStatus])[] {
    return [...this.#entries];
  }
}
