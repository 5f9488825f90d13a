type Waiter = (leave: (() => void) | undefined) => void;

/** Serves one caller at a time, client by client in turns. If the queue is full, the client with most entries loses one. */
export class FairQueue {
  readonly #max: number;
  readonly #queue = new Map<string, Waiter[]>();
  #count = 0;
  #isTaken = false;

  /** @param max Turns in progress and in the queue. */
  constructor(max: number) {
    this.#max = max;
  }

  /** Resolves with the function that ends the turn, or `undefined` if the queue is full. */
  take(client: string): Promise<(() => void) | undefined> {
    return new Promise((settle) => {
      if (this.#count >= this.#max && !this.#makeRoom(client)) return settle(undefined);
      this.#count++;
      const waiters = this.#queue.get(client);
      if (waiters === undefined) this.#queue.set(client, [settle]);
      else waiters.push(settle);
      this.#next();
    });
  }

  #next(): void {
    if (this.#isTaken) return;
    const [first] = this.#queue;
    if (first === undefined) return;
    const [client, waiters] = first;
    const waiter = waiters.shift();
    this.#queue.delete(client);
    if (waiters.length > 0) this.#queue.set(client, waiters);
    this.#isTaken = true;
    waiter?.(() => {
      this.#isTaken = false;
      this.#count--;
      this.#next();
    });
  }

  #makeRoom(client: string): boolean {
    const [longest = []] = [...this.#queue.values()].toSorted((a, b) => b.length - a.length);
    const count = this.#queue.get(client)?.length ?? 0;
    if (longest.length <= count + 1) return false;
    longest.pop()?.(undefined);
    this.#count--;
    return true;
  }
}
