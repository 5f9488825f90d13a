import type { Clock } from "../lib/clock.ts";
import { ApiError } from "../prtg/api-error.ts";
import type { NodeKind } from "../prtg/records.ts";

/** A proxy or a service that is starting may answer 404 for a moment: so often a list is asked for at each run. */
const MOMENTS = 3;
/** After that the list is taken to be gone, and asked for now and then. */
const ASK_AGAIN_AFTER_MS = 10 * 60_000;

export type ListName = NodeKind | "channel";

interface Missing {
  readonly error: ApiError;
  readonly times: number;
  /** Monotonic. */
  readonly askAgainAt: number;
}

/** The lists that a server was found to lack, with all that could stand in for them. */
export class MissingLists {
  readonly #clock: Clock;
  readonly #missing = new Map<ListName, Missing>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Why the list need not be asked for now; undefined: it is to be. */
  knownToLack(list: ListName): ApiError | undefined {
    const missing = this.#missing.get(list);
    return missing !== undefined && this.#clock.monotonic() < missing.askAgainAt ? missing.error : undefined;
  }

  /** The server lacks the list. */
  met(list: ListName, error: ApiError): void {
    const times = (this.#missing.get(list)?.times ?? 0) + 1;
    const now = this.#clock.monotonic();
    this.#missing.set(list, { error, times, askAgainAt: times < MOMENTS ? now : now + ASK_AGAIN_AFTER_MS });
  }

  /** The server has the list. */
  over(list: ListName): void {
    this.#missing.delete(list);
  }

  /** The server may be another one now. */
  forget(): void {
    this.#missing.clear();
  }
}

/** The server has no such list, whatever it is asked by. */
export function isListMissing(error: unknown): error is ApiError {
  return error instanceof ApiError && error.code === "API_ENDPOINT_MISSING";
}
