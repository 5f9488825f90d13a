import type { Lease, LeaseClaim } from "../../../src/leadership/election.ts";
import type { LeaseClient, WriteResult } from "../../../src/leadership/lease-client.ts";

/** For any number of clients. */
export class MemoryLease {
  lease: Lease | undefined;
  /** Requests such as `a reads`. */
  readonly asked: string[] = [];
  /** By client. "hang": no answer. */
  readonly faults = new Map<string, Error | "hang">();
  hold: Promise<void> | undefined;
  /** Writes with another holder, by their own account. */
  transitions = 0;
  #version = 0;

  put(said: Partial<Lease>): Lease {
    this.lease = {
      holder: undefined,
      isReleased: false,
      durationMs: 10_000,
      source: undefined,
      ...said,
      version: String(++this.#version),
    };
    return this.lease;
  }

  client(name: string): LeaseClient & { isClosed: boolean } {
    const ask = async (what: string, signal: AbortSignal): Promise<void> => {
      this.asked.push(`${name} ${what}`);
      signal.throwIfAborted();
      await this.hold;
      const fault = this.faults.get(name);
      // Ignores the abort signal.
      if (fault === "hang") await new Promise(() => undefined);
      if (fault instanceof Error) throw fault;
    };
    return {
      isClosed: false,
      read: async (signal) => {
        await ask("reads", signal);
        return this.lease;
      },
      create: async (signal) => {
        await ask("creates", signal);
        if (this.lease !== undefined) return { kind: "conflict" };
        return { kind: "written", lease: this.put({ durationMs: undefined }) };
      },
      write: async (over, claim, signal) => {
        await ask("writes", signal);
        return this.#write(over, claim);
      },
      async close() {
        this.isClosed = true;
      },
    };
  }

  #write(over: Lease, { holder, durationMs, isTaken }: LeaseClaim): WriteResult {
    if (over.version !== this.lease?.version) return { kind: "conflict" };
    if (isTaken) this.transitions++;
    return { kind: "written", lease: this.put({ holder: holder || undefined, isReleased: holder === "", durationMs }) };
  }
}
