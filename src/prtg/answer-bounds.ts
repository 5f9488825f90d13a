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
