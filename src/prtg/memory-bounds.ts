import { ApiError } from "./api-error.ts";

/*
 * Bytes of the heap of Node.js 24, measured with lists of 60,000 to 240,000 records (test/end-to-end/hostile-answers.test.ts):
 * what collectors read is counted by these, so that all lists that are read at the same time, and the state of all
 * servers, keep within the heap.
 */

/** A probe, group, device or sensor while its list is read, beside its text. */
export const NODE_RECORD_BYTES = 510;
/** A channel while its list is read; its texts are shared with those of others. */
export const CHANNEL_RECORD_BYTES = 150;
/** A lookup while its list is read; its entries count as text. */
export const LOOKUP_RECORD_BYTES = 300;
/** A cell of a time series. */
export const CELL_BYTES = 24;
/** A character, as texts that are not Latin have two bytes. */
export const CHARACTER_BYTES = 2;

/** A list would need memory that there is not. `maxBytes`: of the budget. */
export function memoryFull(endpoint: string, maxBytes: number): ApiError {
  const room = `${Math.round(maxBytes / 2 ** 20)} MB that the heap of Node.js has for objects of all servers`;
  const message = `${endpoint === "" ? "the list" : endpoint}: no room in the ${room}`;
  return new ApiError("API_MEMORY_FULL", message, { endpoint });
}
