import type { ManualClock } from "../../../../../test/support/manual-clock.ts";
import type { Contract } from "../../../src/api/contract/contract.ts";
import type { Simulator } from "../../../src/simulator.ts";

export interface Received {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Undefined: no body. */
  readonly json: unknown;
}

export interface Sent {
  /** Null: none. Undefined: the system administrator's key. */
  readonly bearer?: string | null | undefined;
  readonly authorization?: string | undefined;
  /** JSON, except text and bytes. */
  readonly body?: unknown;
}

export interface Running {
  readonly simulator: Simulator;
  readonly clock: ManualClock;
  readonly contract: Contract;
  /** Checks every answer against the contract. */
  send(method: string, path: string, sent?: Sent): Promise<Received>;
  /** Answer to the row's request. */
  received: Received;
  /** Last answer to a step's request. */
  earlier: Received;
}
