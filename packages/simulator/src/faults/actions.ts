import type { ErrorCode } from "../api-errors.ts";

/**
 * What a fault does to a request.
 *
 * | name | argument | does |
 * |---|---|---|
 * | `latency` | `200ms`, `100ms-2s` | waits before the answer; past 25 s the answer is 408 EXECUTION_TIMEOUT |
 * | `error` | `503`, `503,code=LICENSE_INACTIVE`, `503,body=none`, `429,retry-after=2s`, `429,retry-date=2s`, `429,wait-for=2s` | an error object with the status |
 * | `answer` | `503,body=TEXT`, `200,type=text/html,body=TEXT` | this status and body. TEXT is percent-encoded. |
 * | `hang` | | takes the request and never answers |
 * | `cut` | `body` (default), `start`, `reset` | breaks the connection off half-way through the body, or before the answer, there with a reset if wanted |
 * | `truncate` | fraction left, default `0.5` | a whole answer whose body is cut short |
 * | `wrong-length` | e.g. `10`, `-1` | `Content-Length` is off by that, and the connection ends with the answer |
 * | `endless` | `1MB`, default as fast as it is read | a list that never ends |
 * | `endless-list` | | every page is full, of objects that no page had before; `X-Total-Count` is missing |
 * | `large` | `60MB`, `60MB,arrays`, `60MB,text` | a whole JSON answer of that size: a list of empty objects, arrays within arrays, or one text |
 * | `long-names` | `10MB` | the first object of a page has a name of that length |
 * | `html` | | status 200 with an HTML page |
 * | `content-type` | e.g. `application/xml` | the right body under a wrong type |
 * | `redirect` | location, default a login page | status 302, as the classic web port answers |
 * | `unsupported-scheme` | | 401 "Unsupported authorization scheme", as the classic web port answers a key |
 * | `missing` | `404` (default), `405`, `501` | as if the endpoint did not exist |
 * | `drip` | `16kB` | sends the body at so many bytes a second |
 * | `moving-list` | `delete` (default), `insert`, `reorder` | the list changes before a page with an offset: an item before it vanishes, one appears, or one goes to the end; as it was from the next offset 0 on |
 * | `rounded` | decimal digits, default `0` | values in lists rounded, their timestamps off by a second |
 * | `execution-timeout` | limit, e.g. `1500` | 408 EXECUTION_TIMEOUT for larger pages |
 * | `wrong-total` | e.g. `3`, `-1` | X-Total-Count off by that |
 * | `odd-records` | e.g. `10` | every so many records of a list is malformed, each time in another way |
 * | `text-values` | `en`, `de`, `odd` | values in lists are texts in `%`; values and limits in their own unit as English or German writes them; or nothing that can be read |
 * | `short-rows` | e.g. `2`, default `1` | rows of a time series lack so many of their last values |
 * | `empty` | `list` (default), `null`, `204`, `body` | there is nothing: an empty list, `null`, status 204, or no bytes |
 * | `refuses` | e.g. `include:alerting`, `limit:1000`, `from` | 400 for requests with that parameter, that value in it, or a greater limit |
 * | `parents` | `chain`, `cycle`, `self`, `lost` | the parent of each object on a page is the one before, the next one in a ring, itself, or one that does not exist |
 * | `twin-ids` | | the second object of a page has the id of the first |
 * | `swapped-kinds` | | groups have the ids of devices, and devices those of groups |
 * | `skew` | `+2h`, `-90s` | answers as if it were so much later or earlier |
 * | `date` | `+2h`, `-90s` | only the `Date` header is off |
 * | `restart` | `5s` | ends all connections and sessions, and does not listen for so long |
 */
export type FaultAction =
  | { readonly kind: "latency"; readonly minMs: number; readonly maxMs: number }
  | {
      readonly kind: "error";
      readonly status: number;
      readonly code: ErrorCode;
      /** By `Retry-After`, and by the specification's `Wait-For`. */
      readonly retryAfterSeconds: number | undefined;
      /** Also by `Retry-After`, as a date. */
      readonly retryDateSeconds: number | undefined;
      readonly waitForSeconds: number | undefined;
      readonly hasBody: boolean;
    }
  | {
      readonly kind: "answer";
      readonly status: number;
      readonly type: string;
      readonly body: string;
      readonly retryAfterSeconds: number | undefined;
      readonly retryDateSeconds: number | undefined;
    }
  | { readonly kind: "hang" }
  | { readonly kind: "cut"; readonly where: "start" | "body" | "reset" }
  | { readonly kind: "truncate"; readonly fraction: number }
  | { readonly kind: "wrong-length"; readonly by: number }
  | { readonly kind: "endless"; readonly bytesPerSecond: number | undefined }
  | { readonly kind: "large"; readonly bytes: number; readonly shape: LargeShape }
  | { readonly kind: "html" }
  | { readonly kind: "content-type"; readonly type: string }
  | { readonly kind: "redirect"; readonly location: string }
  | { readonly kind: "missing"; readonly status: number }
  | { readonly kind: "drip"; readonly bytesPerSecond: number }
  | { readonly kind: "moving-list"; readonly change: "delete" | "insert" | "reorder" }
  | { readonly kind: "endless-list" }
  | { readonly kind: "long-names"; readonly characters: number }
  | { readonly kind: "rounded"; readonly digits: number }
  | { readonly kind: "execution-timeout"; readonly above: number }
  | { readonly kind: "wrong-total"; readonly by: number }
  | { readonly kind: "odd-records"; readonly every: number }
  | { readonly kind: "parents"; readonly shape: ParentShape }
  | { readonly kind: "swapped-kinds" }
  | { readonly kind: "twin-ids" }
  | { readonly kind: "empty"; readonly as: EmptyForm }
  | { readonly kind: "short-rows"; readonly by: number }
  | { readonly kind: "text-values"; readonly language: TextLanguage | undefined }
  | { readonly kind: "unsupported-scheme" }
  | { readonly kind: "refuses"; readonly parameter: string; readonly value: string | undefined }
  | { readonly kind: "skew"; readonly byMs: number }
  | { readonly kind: "date"; readonly byMs: number }
  | { readonly kind: "restart"; readonly downMs: number };

export const EMPTY_FORMS = ["list", "null", "204", "body"] as const;

/** How an empty answer is written: an empty list, null, 204, or a body of no bytes. */
export type EmptyForm = (typeof EMPTY_FORMS)[number];

export const TEXT_LANGUAGES = ["en", "de", "odd"] as const;

/** How values are written as texts: English, German, or unreadable. */
export type TextLanguage = (typeof TEXT_LANGUAGES)[number];

export const PARENT_SHAPES = ["chain", "cycle", "self", "lost"] as const;

/** What the parents of a list's objects are: the object before, the next one in a ring, itself, one that is not there. */
export type ParentShape = (typeof PARENT_SHAPES)[number];

export const LARGE_SHAPES = ["objects", "arrays", "text"] as const;

/** What a large answer consists of: a list of empty objects, arrays within arrays, one text. */
export type LargeShape = (typeof LARGE_SHAPES)[number];
