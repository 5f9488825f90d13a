import { ApiError } from "./api-error.ts";
/* Bounds of answers. They are far beyond what servers send, so they are not configurable. See also `servers[].limits`. */

export const MAX_SMALL_ANSWER_BYTES = 1024 * 1024;
/** Answers outside 2xx. The rest is not read. */
export const MAX_ERROR_BYTES = 64 * 1024;
/** One record of a list, or one row of a time series. */
export const MAX_RECORD_BYTES = 1024 * 1024;
/** Nesting of arrays and objects. */
export const MAX_DEPTH = 64;
/** Interim answers (1xx) to one request. */
export const MAX_INFORMATIONAL = 16;
/** Average over a long list. */
export const MIN_OBJECTS_PER_PAGE = 50;
/** Always allowed. */
export const MIN_MAX_PAGES = 100;
/** Channels of one sensor. */
export const MAX_COLUMNS = 10_000;
export const MAX_ID_LENGTH = 128;
/** Per object. Also bounds the ancestors. */
export const MAX_TAGS = 100;
export const MAX_ANCESTORS = 100;
/** 10^308 has 309 characters. */
export const MAX_NUMERAL_LENGTH = 400;
/** Timestamp, interval or status. */
export const MAX_WORD_LENGTH = 64;
/** Each new value is compared with all entries. */
export const MAX_LOOKUP_ENTRIES = 1000;
/** Unknown kinds in `/objects/count`. */
export const MAX_KINDS = 50;

/*
 * Heap of Node.js 24 in bytes, measured with 60,000 to 240,000 records (test/end-to-end/hostile-answers.test.ts).
 * Bounds the memory of all lists and of the state.
 */

/** A node while its list is read, without text. */
export const NODE_RECORD_BYTES = 510;
/** A channel while its list is read. Texts are shared. */
export const CHANNEL_RECORD_BYTES = 150;
/** A lookup while its list is read. Entries count as text. */
export const LOOKUP_RECORD_BYTES = 300;
/** A cell of a time series. */
export const CELL_BYTES = 24;
export const CHARACTER_BYTES = 2;

/** @param maxBytes Of the budget. */
export function memoryFull(endpoint: string, maxBytes: number): ApiError {
  const room = `${Math.round(maxBytes / 2 ** 20)} MB of heap for objects of all servers`;
  const message = `${endpoint === "" ? "the list" : endpoint}: does not fit in the ${room}`;
  return new ApiError("API_MEMORY_FULL", message, { endpoint });
}
