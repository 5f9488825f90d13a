import { type ErrorCode, scopeOf } from "../errors/catalogue.ts";
import { ExporterError } from "../errors/exporter-error.ts";
import { ApiError } from "../prtg/api-error.ts";
import type { NodeKind } from "../prtg/node-record.ts";

interface Reading {
  /** A poll continues after these failures. */
  readonly goesOnAfter: readonly ErrorCode[] | "any";
  /** The consequence, for `check`. */
  readonly without: string;
}

/** All that polls read, and the consequence of a failure. The command `check` uses the same table. */
export const READINGS = {
  version: { goesOnAfter: "any", without: "prtg_server_info is missing" },
  statusSummary: {
    goesOnAfter: ["API_NOT_FOUND", "API_FORBIDDEN"],
    without: "statuses are counted from the sensor list",
  },
  objectCounts: { goesOnAfter: ["API_NOT_FOUND", "API_FORBIDDEN"], without: "objects are counted from the lists" },
  sensor: { goesOnAfter: [], without: "all data is missing" },
  device: { goesOnAfter: ["API_ENDPOINT_MISSING"], without: "devices are missing" },
  group: { goesOnAfter: ["API_ENDPOINT_MISSING"], without: "groups are missing" },
  probe: { goesOnAfter: ["API_ENDPOINT_MISSING"], without: "probes are missing" },
  channels: { goesOnAfter: [], without: "values are missing" },
  details: { goesOnAfter: "any", without: "license, probes, auto-discoveries and primary channels are missing" },
  lookups: { goesOnAfter: "any", without: "channel states are missing" },
} as const satisfies Record<NodeKind, Reading> & Record<string, Reading>;

export type ReadingName = keyof typeof READINGS;

/** Whether a poll continues without this reading after this failure. */
export function goesOnWithout(reading: ReadingName, error: unknown): boolean {
  const { goesOnAfter }: Reading = READINGS[reading];
  return goesOnAfter === "any" || (error instanceof ExporterError && goesOnAfter.includes(error.code));
}

/** Whether every other request to the server would fail too. */
export function isOutOfReach(error: unknown): boolean {
  return error instanceof ExporterError && scopeOf(error.code) !== undefined;
}

/** Reads the parts of a poll one after the other. A part that fails does not stop the others. */
export class PartialPoll {
  readonly #signal: AbortSignal;
  #error: unknown;
  #isOutOfReach = false;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Error of the first part that failed. */
  get error(): unknown {
    return this.#error;
  }

  /**
   * `undefined` if the part failed, or the server is out of reach since an earlier part.
   * @throws the signal's reason
   */
  async read<Part>(part: () => Promise<Part>): Promise<{ readonly value: Part } | undefined> {
    this.#signal.throwIfAborted();
    if (this.#isOutOfReach) return undefined;
    try {
      return { value: await part() };
    } catch (error) {
      this.#signal.throwIfAborted();
      this.#error ??= error;
      this.#isOutOfReach = isOutOfReach(error);
      return undefined;
    }
  }
}

/** Finds the request in the server's logs, and an unexpected error in our code. */
export function failureFields(error: unknown): Record<string, unknown> {
  if (error instanceof ApiError) return { code: error.code, endpoint: error.endpoint, request_id: error.requestId };
  if (error instanceof ExporterError) return { code: error.code };
  return { stack: error instanceof Error ? error.stack : undefined };
}
