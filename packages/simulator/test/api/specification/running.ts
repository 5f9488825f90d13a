import type { ManualClock } from "../../../../../test/support/manual-clock.ts";
import type { Contract } from "../../../src/api/contract/contract.ts";
import type { Simulator } from "../../../src/simulator.ts";

export interface Received {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Undefined where there is no body. */
  readonly json: unknown;
}

export interface Sent {
  /** Null for none, undefined for the system administrator's key. */
  readonly bearer?: string | null | undefined;
  readonly authorization?: string | undefined;
  /** Text and bytes are sent as they are, anything else as JSON. */
  readonly body?: unknown;
}

/** A service, and what it has answered. */
export interface Running {
  readonly simulator: Simulator;
  readonly clock: ManualClock;
  readonly contract: Contract;
  /** Every answer must be as the contract says. */
  send(method: string, path: string, sent?: Sent): Promise<Received>;
  /** The answer to the request of the row. */
  received: Received;
  /** The last one to a request of its steps. */
  earlier: Received;
}
