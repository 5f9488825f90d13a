import { onAbort } from "../../lib/clock.ts";

type Waiter = (leave: (() => void) | undefined) => void;

export interface FairQueueOptions {
  /** Turns in progress and in the queue. */
  readonly max: number;
  /** Turns in progress. */
  readonly atOnce: number;
}

/** Serves client by client in turns. If the queue is full, the client with most entries loses one. */
export class FairQueue {
  readonly #options: FairQueueOptions;
  readonly #queue = new Map<string, Waiter[]>();
  #count = 0;
  #active = 0;

  constructor(options: FairQueueOptions) {
    this.#options = options;
  }

  /** Resolves with the function that ends the turn, or `undefined` if the queue is full or the signal aborts. */
  take(client: string, signal?: AbortSignal): Promise<(() => void) | undefined> {
    return new Promise((settle) => {
      const isFull = () => this.#count >= this.#options.max && !this.#makeRoom(client);
      if (signal?.aborted || isFull()) return settle(undefined);
      const waiter: Waiter = (leave) => {
        forget?.();
        settle(leave);
      };
      const forget = signal && onAbort(signal, () => this.#remove(client, waiter));
      this.#count++;
      this.#queue.set(client, [...(this.#queue.get(client) ?? []), waiter]);
      this.#next();
    });
  }

  #next(): void {
    const [first] = this.#queue;
    if (this.#active >= this.#options.atOnce || first === undefined) return;
    const [client, [waiter, ...others]] = first;
    this.#queue.delete(client);
    if (others.length > 0) this.#queue.set(client, others);
    this.#active++;
    let isOver = false;
    waiter?.(() => {
      if (isOver) return;
      isOver = true;
      this.#active--;
      this.#count--;
      this.#next();
    });
  }

  #makeRoom(client: string): boolean {
    const [[other, waiters] = ["", []]] = [...this.#queue].toSorted(([, a], [, b]) => b.length - a.length);
    const last = waiters.at(-1);
    if (last === undefined || waiters.length <= (this.#queue.get(client)?.length ?? 0) + 1) return false;
    this.#remove(other, last);
    return true;
  }

  #remove(client: string, waiter: Waiter): void {
    const waiters = this.#queue.get(client) ?? [];
    if (!waiters.includes(waiter)) return;
    const others = waiters.filter((each) => each !== waiter);
    if (others.length === 0) this.#queue.delete(client);
    else this.#queue.set(client, others);
    this.#count--;
    waiter(undefined);
  }
}
