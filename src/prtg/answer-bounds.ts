import { ApiError } from "./api-error.ts";
/*
 * What an answer can sensibly hold. These are far beyond anything that a server was seen to send, so they are no keys of
 * the configuration; what a large server could reach is in `servers[].limits`.
 */

/** Bytes of an answer that tells about the server as a whole: health, version, session, counts. Seen: a few kilobytes. */
export const MAX_SMALL_ANSWER_BYTES = 1024 * 1024;
/** Bytes of an answer outside 2xx that are read to see what the server says; the rest is not waited for. */
export const MAX_ERROR_BYTES = 64 * 1024;
/** Bytes of one record of a list, or one row of a time series. */
export const MAX_RECORD_BYTES = 1024 * 1024;
/** Arrays and objects within each other, in a record or a small answer. */
export const MAX_DEPTH = 64;
/** Answers before the answer (1xx) to one request. */
export const MAX_INFORMATIONAL = 16;
/** Objects a page that a server has to hand out at least, on average over a long list. */
export const MIN_OBJECTS_PER_PAGE = 50;
/** Pages that a list may have however short they are. */
export const MIN_MAX_PAGES = 100;
/** Columns of a time series: channels of one sensor, of which some dozen are usual. */
export const MAX_COLUMNS = 10_000;
/** Characters of an id. */
export const MAX_ID_LENGTH = 128;
/** Tags of an object; objects between the root and an object. */
export const MAX_TAGS = 100;
export const MAX_ANCESTORS = 100;
/** Characters of a numeral: 10^308 in full has 309. */
export const MAX_NUMERAL_LENGTH = 400;
/** Characters of a timestamp, an interval or a status. */
export const MAX_WORD_LENGTH = 64;
/** Texts of one lookup. Each new value is looked for among them. */
export const MAX_LOOKUP_ENTRIES = 1000;
/** Kinds of objects that `/objects/count` may tell of beside those that are known. */
export const MAX_KINDS = 50;

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
