import type { SimNode } from "../world/model.ts";
import type { Visibility } from "./access.ts";
import { isChannel, type Subject } from "./subject.ts";

export interface CreationOptions {
  /** Simulated time, milliseconds since the epoch. */
  readonly now: () => number;
  /** How long it takes until a new object is fully available; milliseconds of simulated time. */
  readonly readyAfterMs: number;
}

/**
 * Objects that were created a moment ago. "Requesting that URL returns 202 with no body while the object is not yet fully
 * available." Ours: until then everything else answers as if it were not there, lists and counts included.
 */
export class Creations {
  readonly #now: () => number;
  readonly #readyAfterMs: number;
  /** When each is ready. */
  readonly #pending = new Map<string, number>();

  constructor({ now, readyAfterMs }: CreationOptions) {
    this.#now = now;
    this.#readyAfterMs = readyAfterMs;
  }

  /** What is below the node comes into being with it. */
  add(node: SimNode): void {
    if (this.#readyAfterMs > 0) this.#pending.set(node.id, this.#now() + this.#readyAfterMs);
  }

  /** How long the node still takes, in milliseconds; undefined when it is ready. */
  remaining(node: SimNode): number | undefined {
    if (!this.pending) return undefined;
    const now = this.#now();
    let until = 0;
    for (let one: SimNode | undefined = node; one !== undefined; one = one.parent) {
      until = Math.max(until, this.#pending.get(one.id) ?? 0);
    }
    return until > now ? until - now : undefined;
  }

  /** Whether anything is not ready yet. */
  get pending(): boolean {
    if (this.#pending.size === 0) return false;
    const now = this.#now();
    // What was created first is ready first.
    for (const [id, until] of this.#pending) {
      if (until > now) break;
      this.#pending.delete(id);
    }
    return this.#pending.size > 0;
  }

  /** What a user sees, without what is not ready yet. */
  hiddenFrom(visibility: Visibility): Visibility {
    const all = this;
    return {
      get everything() {
        return visibility.everything && !all.pending;
      },
      sees(subject: Subject) {
        if (!visibility.sees(subject)) return false;
        return all.remaining(isChannel(subject) ? subject.sensor : subject) === undefined;
      },
    };
  }
}
