/** With the function that ends the turn, or nothing when none will come. */
type Waiter = (leave: (() => void) | undefined) => void;

/** One at a time, client by client in turns. Only so many may wait: then the greediest client makes room. */
export class FairQueue {
  readonly #max: number;
  /** In the order of their next turn. */
  readonly #waiting = new Map<string, Waiter[]>();
  #count = 0;
  #isTaken = false;

  /** @param max Turns under way or waiting. */
  constructor(max: number) {
    this.#max = max;
  }

  /** Resolves with the function that ends the turn; undefined when too many wait. */
  take(client: string): Promise<(() => void) | undefined> {
    return new Promise((settle) => {
      if (this.#count >= this.#max && !this.#makeRoom(client)) return settle(undefined);
      this.#count++;
      const waiters = this.#waiting.get(client);
      if (waiters === undefined) this.#waiting.set(client, [settle]);
      else waiters.push(settle);
      this.#next();
    });
  }

  #next(): void {
    if (this.#isTaken) return;
    const [first] = this.#waiting;
    if (first === undefined) return;
    const [client, waiters] = first;
    const waiter = waiters.shift();
    this.#waiting.delete(client);
    // Behind all others.
    if (waiters.length > 0) this.#waiting.set(client, waiters);
    this.#isTaken = true;
    waiter?.(() => {
      this.#isTaken = false;
      this.#count--;
      this.#next();
    });
  }

  /** Drops the last waiter of the client with the most, if it keeps no fewer than the new one gets. */
  #makeRoom(client: string): boolean {
    const [longest = []] = [...this.#waiting.values()].toSorted((a, b) => b.length - a.length);
    const count = this.#waiting.get(client)?.length ?? 0;
    if (longest.length <= count + 1) return false;
    longest.pop()?.(undefined);
    this.#count--;
    return true;
  }
}
