import type { Visibility } from "../auth/visibility.ts";
import type { SimNode } from "../world/model.ts";
import { isChannel, type SimObject } from "../world/objects.ts";

export interface PendingObjectsOptions {
  /** Simulated time, milliseconds since the epoch. */
  readonly now: () => number;
  /** How long it takes until a new object is fully available; milliseconds of simulated time. */
  readonly readyAfterMs: number;
}

/** New objects: until they are ready their URL answers 202, and lists and counts lack them (ours). */
export class PendingObjects {
  readonly #now: () => number;
  readonly #readyAfterMs: number;
  /** When each is ready. */
  readonly #readyAt = new Map<string, number>();

  constructor({ now, readyAfterMs }: PendingObjectsOptions) {
    this.#now = now;
    this.#readyAfterMs = readyAfterMs;
  }

  /** Counts for all that is below the node, too. */
  add(node: SimNode): void {
    if (this.#readyAfterMs > 0) this.#readyAt.set(node.id, this.#now() + this.#readyAfterMs);
  }

  /** How long the node still takes, in milliseconds of simulated time; undefined when it is ready. */
  remaining(node: SimNode): number | undefined {
    if (!this.hasPending) return undefined;
    const now = this.#now();
    let until = 0;
    for (let one: SimNode | undefined = node; one !== undefined; one = one.parent) {
      until = Math.max(until, this.#readyAt.get(one.id) ?? 0);
    }
    // If the time was set back, the creation lies ahead and would never end.
    const left = until - now;
    return left > 0 && left <= this.#readyAfterMs ? left : undefined;
  }

  /** Whether anything is not ready yet. */
  get hasPending(): boolean {
    if (this.#readyAt.size === 0) return false;
    const now = this.#now();
    for (const [id, until] of this.#readyAt) {
      if (until <= now || until > now + this.#readyAfterMs) this.#readyAt.delete(id);
    }
    return this.#readyAt.size > 0;
  }

  /** What a user sees, without what is not ready yet. */
  withoutPending(visibility: Visibility): Visibility {
    const all = this;
    return {
      get everything() {
        return visibility.everything && !all.hasPending;
      },
      sees(object: SimObject) {
        if (!visibility.sees(object)) return false;
        return all.remaining(isChannel(object) ? object.sensor : object) === undefined;
      },
    };
  }
}
