/** Called with what to call at the end of the turn, or with nothing when it will not come. */
type Waiter = (leave: (() => void) | undefined) => void;

/**
 * Lets one at a time do something, client by client in turns, however many each wants. Only so many may wait: then the client
 * that wants most makes room.
 */
export class FairQueue {
  readonly #max: number;
  /** In the order of their next turn. */
  readonly #waiting = new Map<string, Waiter[]>();
  #count = 0;
  #isTaken = false;

  /** @param max Turns under way or waited for. */
  constructor(max: number) {
    this.#max = max;
  }

  /** Resolves when it is the client's turn, with what to call at its end; with undefined when too many want one. */
  take(client: string): Promise<(() => void) | undefined> {
    return new Promise((settle) => {
      if (this.#count >= this.#max && !this.#makeRoom(client)) return settle(undefined);
      this.#count++;
      const own = this.#waiting.get(client);
      if (own === undefined) this.#waiting.set(client, [settle]);
      else own.push(settle);
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

  /** Takes the last waiter of the client that has most, where that leaves it no fewer than the new one will have. */
  #makeRoom(client: string): boolean {
    const [longest = []] = [...this.#waiting.values()].toSorted((a, b) => b.length - a.length);
    const own = this.#waiting.get(client)?.length ?? 0;
    if (longest.length <= own + 1) return false;
    longest.pop()?.(undefined);
    this.#count--;
    return true;
  }
}
