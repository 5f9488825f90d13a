import help from "../../data/fault-help.json" with { type: "json" };
import { ERROR_STATUS, type ErrorCode } from "../api-errors.ts";
import { globPattern } from "./glob.ts";
import { nearest } from "./nearest.ts";

/** What a fault does to a request. */
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
  | { readonly kind: "empty"; readonly as: (typeof EMPTY)[number] }
  | { readonly kind: "short-rows"; readonly by: number }
  | { readonly kind: "text-values"; readonly language: (typeof TEXT_LANGUAGES)[number] | undefined }
  | { readonly kind: "unsupported-scheme" }
  | { readonly kind: "refuses"; readonly parameter: string; readonly value: string | undefined }
  | { readonly kind: "skew"; readonly byMs: number }
  | { readonly kind: "date"; readonly byMs: number }
  | { readonly kind: "restart"; readonly downMs: number };

/** How an empty answer is written: an empty list, null, 204, or a body of no bytes. */
const EMPTY = ["list", "null", "204", "body"] as const;

/** How values are written as texts: English, German, or in no way that can be read. */
const TEXT_LANGUAGES = ["en", "de", "odd"] as const;

const PARENT_SHAPES = ["chain", "cycle", "self", "lost"] as const;

/** What the parents of a list's objects are: the object before, the next one in a ring, itself, one that is not there. */
export type ParentShape = (typeof PARENT_SHAPES)[number];

const LARGE_SHAPES = ["objects", "arrays", "text"] as const;

/** What a large answer consists of: a list of empty objects, arrays within arrays, one text. */
export type LargeShape = (typeof LARGE_SHAPES)[number];

/** So that a mistyped size does not take the simulator's own memory. */
const MAX_NAME_CHARACTERS = 100_000_000;

/** A query parameter that a request must have. */
export interface QueryMatch {
  readonly name: string;
  /** `undefined`: any value. */
  readonly value: RegExp | undefined;
}

export interface Fault {
  /** As written. */
  readonly text: string;
  readonly action: FaultAction;
  /** Undefined: any. */
  readonly method: string | undefined;
  readonly path: RegExp | undefined;
  /** Glob of the path, as written. */
  readonly glob: string | undefined;
  /** A request must have all of them. */
  readonly query: readonly QueryMatch[];
  /** Number of matching requests that pass before the fault begins. */
  readonly after: number;
  /** From 0 to 1. */
  readonly probability: number;
  /** How many requests it applies to before it is over; undefined: no end. */
  readonly times: number | undefined;
}

/** Says which part of a fault could not be read. */
export class FaultSyntaxError extends Error {
  constructor(fault: string, complaint: string) {
    super(`fault "${fault}": ${complaint}`);
    this.name = "FaultSyntaxError";
  }
}

const SHAPE =
  /^(?<name>[a-z-]+)(?:=(?<argument>[^@#]*))?(?:@(?:(?<method>[A-Z]+):)?(?<glob>[^#?]*)(?:\?(?<query>[^#]*))?)?(?:#(?<share>.*))?$/;
/** `0.1`, `3`, `after=2` and `3,after=2` */
const SHARE = /^(?:(?<amount>[^,=]+)(?:,after=(?<after>[0-9]{1,15}))?|after=(?<only>[0-9]{1,15}))$/;
const NAMES = help.flatMap(([spelling = ""]) => /^[a-z-]+/.exec(spelling) ?? []);
const GRAMMAR = "name[=argument][@[METHOD:]path-glob[?query]][#share]";
const DURATION = /^([0-9]+(?:\.[0-9]+)?)(ms|s|m|h)$/;
const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
/** So that a fault cannot take the world out of the times that a date can have. */
const MAX_SHIFT_MS = 366 * 86_400_000;

/**
 * Reads one fault: `name[=argument][@[METHOD:]path-glob[?query]][#share]`
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
 *
 * The glob is matched with the path below `/api/v2`; `*` stands for any characters, `{id}` for one part of it. The query has names
 * and globs of values: `?include=*path*&limit`. `#0.1` hits one request in ten, `#3` the next three that it applies to, and
 * `#3,after=2` the three after the next two. Example: `error=503@/experimental/sensors*#0.1`.
 * @throws FaultSyntaxError
 */
export function parseFault(text: string): Fault {
  const groups = SHAPE.exec(text)?.groups;
  if (groups === undefined) throw new FaultSyntaxError(text, `expected ${GRAMMAR}`);
  const { name = "", argument, method, glob, query, share } = groups;
  if (glob !== undefined && !glob.startsWith("/") && !glob.startsWith("*")) {
    throw new FaultSyntaxError(text, `the path glob must begin with / or *, not ${JSON.stringify(glob)}`);
  }
  return {
    text,
    action: readAction(text, name, argument),
    method,
    path: glob === undefined ? undefined : globPattern(glob),
    glob,
    query: readQuery(query),
    ...readShare(text, share),
  };
}

function readAction(text: string, name: string, argument: string | undefined): FaultAction {
  const wrong = (expected: string) => new FaultSyntaxError(text, `${name} takes ${expected}`);
  const bare = (): void => {
    if (argument !== undefined) throw wrong("no argument");
  };
  switch (name) {
    case "latency":
      return readLatency(argument) ?? fail(wrong("a duration such as 200ms, 2s or 100ms-2s"));
    case "error":
      return (
        readError(argument) ??
        fail(
          wrong(
            "a status such as 503, optionally with ,code=CODE, ,body=none, ,retry-after=2s, ,retry-date=2s or ,wait-for=2s",
          ),
        )
      );
    case "answer":
      return (
        readAnswer(argument) ??
        fail(
          wrong(
            "a status from 200 to 599, optionally with ,type=text/html, ,retry-after=2s, ,retry-date=2s and last ,body=TEXT, percent-encoded",
          ),
        )
      );
    case "hang":
    case "html":
    case "endless-list":
    case "swapped-kinds":
    case "twin-ids":
    case "unsupported-scheme":
      bare();
      return { kind: name };
    case "text-values": {
      if (argument === undefined) return { kind: name, language: undefined };
      return { kind: name, language: oneOf(argument, TEXT_LANGUAGES) ?? fail(wrong("en, de or odd")) };
    }
    case "cut": {
      const where = oneOf(argument ?? "body", ["body", "start", "reset"]);
      return { kind: "cut", where: where ?? fail(wrong("body, start or reset")) };
    }
    case "endless": {
      const rate =
        argument === undefined ? undefined : (readSize(argument) ?? fail(wrong("a size per second such as 1MB")));
      return { kind: "endless", bytesPerSecond: rate };
    }
    case "large":
      return readLarge(argument) ?? fail(wrong("a size such as 60MB, optionally with ,arrays or ,text"));
    case "long-names": {
      const characters = readSize(argument);
      if (characters === undefined || characters > MAX_NAME_CHARACTERS) throw wrong("a size up to 100MB such as 10MB");
      return { kind: "long-names", characters };
    }
    case "content-type":
      return { kind: "content-type", type: readHeaderText(argument ?? "") ?? fail(wrong("a type in printable ASCII")) };
    case "parents":
      return {
        kind: "parents",
        shape: oneOf(argument ?? "", PARENT_SHAPES) ?? fail(wrong(PARENT_SHAPES.join(", "))),
      };
    case "skew":
    case "date":
      return { kind: name, byMs: readShift(argument) ?? fail(wrong("a shift such as +2h or -90s, at most a year")) };
    case "empty":
      return { kind: "empty", as: oneOf(argument ?? "list", EMPTY) ?? fail(wrong(EMPTY.join(", "))) };
    case "short-rows":
      return { kind: "short-rows", by: integer(argument ?? "1", 1, 1000) ?? fail(wrong("a number of at least 1")) };
    case "refuses": {
      const [, parameter, value] = /^([a-z_]+)(?::([a-z0-9_]+))?$/.exec(argument ?? "") ?? [];
      if (parameter === undefined) throw wrong("a parameter such as include:alerting, limit:1000 or from");
      return { kind: "refuses", parameter, value };
    }
    case "restart":
      return { kind: "restart", downMs: readDuration(argument ?? "") ?? fail(wrong("a duration such as 5s")) };
    case "truncate":
      return { kind: "truncate", fraction: number(argument ?? "0.5", 0, 1) ?? fail(wrong("a fraction from 0 to 1")) };
    case "wrong-length": {
      const by = integer(argument, -1_000_000_000, 1_000_000_000);
      if (by === undefined || by === 0) throw wrong("a number of bytes such as 10 or -1");
      return { kind: "wrong-length", by };
    }
    case "redirect":
      return {
        kind: "redirect",
        location: readHeaderText(argument ?? LOGIN_PAGE) ?? fail(wrong("a location in printable ASCII")),
      };
    case "missing":
      return {
        kind: "missing",
        status: Number(oneOf(argument ?? "404", ["404", "405", "501"]) ?? fail(wrong("404, 405 or 501"))),
      };
    case "drip":
      return {
        kind: "drip",
        bytesPerSecond: readSize(argument) ?? fail(wrong("a size per second such as 512B or 16kB")),
      };
    case "moving-list": {
      const change = oneOf(argument ?? "delete", ["delete", "insert", "reorder"]);
      return { kind: "moving-list", change: change ?? fail(wrong("delete, insert or reorder")) };
    }
    case "rounded":
      return { kind: "rounded", digits: integer(argument ?? "0", 0, 10) ?? fail(wrong("decimal digits from 0 to 10")) };
    case "execution-timeout":
      return {
        kind: "execution-timeout",
        above: integer(argument, 0, 3000) ?? fail(wrong("the largest limit that works, from 0 to 3000")),
      };
    case "wrong-total":
      return {
        kind: "wrong-total",
        by: integer(argument, -1_000_000, 1_000_000) ?? fail(wrong("a number of objects such as 3 or -1")),
      };
    case "odd-records":
      return { kind: "odd-records", every: integer(argument, 1, 1_000_000) ?? fail(wrong("a number of at least 1")) };
    default:
      throw new FaultSyntaxError(
        text,
        `there is no fault called ${JSON.stringify(name)}. The nearest names: ${nearest(name, NAMES).join(", ")}`,
      );
  }
}

function readLatency(argument: string | undefined): FaultAction | undefined {
  const [min, max = min, ...rest] = (argument ?? "").split("-").map(readDuration);
  if (min === undefined || max === undefined || max < min || rest.length > 0) return undefined;
  return { kind: "latency", minMs: min, maxMs: max };
}

function readLarge(argument: string | undefined): FaultAction | undefined {
  const [size, shape = "objects", ...rest] = (argument ?? "").split(",");
  const bytes = readSize(size);
  const known = oneOf(shape, LARGE_SHAPES);
  if (bytes === undefined || known === undefined || rest.length > 0) return undefined;
  return { kind: "large", bytes, shape: known };
}

/** The code that goes with a status where none is named; 429 is not the service's own, but that of a proxy before it. */
const CODE_OF_STATUS: Readonly<Record<number, ErrorCode>> = {
  400: "BAD_REQUEST",
  401: "AUTH_FAILED",
  403: "FORBIDDEN",
  404: "NOT_FOUND",
  405: "METHOD_NOT_IMPLEMENTED",
  408: "EXECUTION_TIMEOUT",
  409: "BAD_REQUEST",
  500: "INTERNAL_ERROR",
  501: "METHOD_NOT_IMPLEMENTED",
  502: "BAD_GATEWAY",
  503: "SERVICE_UNAVAILABLE",
  504: "GATEWAY_TIMEOUT",
};

function readError(argument: string | undefined): FaultAction | undefined {
  const [statusText, ...options] = (argument ?? "").split(",");
  const status = integer(statusText, 400, 599);
  if (status === undefined) return undefined;
  let code: ErrorCode = CODE_OF_STATUS[status] ?? "UNKNOWN";
  let retryAfterSeconds: number | undefined;
  let retryDateSeconds: number | undefined;
  let waitForSeconds: number | undefined;
  let hasBody = true;
  for (const option of options) {
    const [key, value = ""] = option.split("=");
    const wait = readDuration(value);
    const known = (Object.keys(ERROR_STATUS) as ErrorCode[]).find((name) => name === value);
    if (key === "code" && known !== undefined) code = known;
    else if (key === "body" && value === "none") hasBody = false;
    else if (key === "retry-after" && wait !== undefined) retryAfterSeconds = Math.ceil(wait / 1000);
    else if (key === "retry-date" && wait !== undefined) retryDateSeconds = Math.ceil(wait / 1000);
    else if (key === "wait-for" && wait !== undefined) waitForSeconds = Math.ceil(wait / 1000);
    else return undefined;
  }
  return { kind: "error", status, code, retryAfterSeconds, retryDateSeconds, waitForSeconds, hasBody };
}

/** The body is last, so that it may have commas. */
function readAnswer(argument = ""): FaultAction | undefined {
  const [head = "", encoded = ""] = splitAt(argument, ",body=");
  const [statusText, ...options] = head.split(",");
  const status = integer(statusText, 200, 599);
  const body = decoded(encoded);
  if (status === undefined || body === undefined) return undefined;
  let type = typeOf(body);
  let retryAfterSeconds: number | undefined;
  let retryDateSeconds: number | undefined;
  for (const option of options) {
    const [key = "", value = ""] = splitAt(option, "=");
    const wait = readDuration(value);
    if (key === "type" && readHeaderText(value) !== undefined) type = value;
    else if (key === "retry-after" && wait !== undefined) retryAfterSeconds = Math.ceil(wait / 1000);
    else if (key === "retry-date" && wait !== undefined) retryDateSeconds = Math.ceil(wait / 1000);
    else return undefined;
  }
  return { kind: "answer", status, type, body, retryAfterSeconds, retryDateSeconds };
}

/** Guessed from the first character. */
function typeOf(body: string): string {
  if (/^\s*[[{"]/.test(body)) return "application/json; charset=utf-8";
  return /^\s*</.test(body) ? "text/html; charset=utf-8" : "text/plain; charset=utf-8";
}

/** `undefined` for a wrong percent-encoding. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function splitAt(text: string, separator: string): readonly string[] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + separator.length)];
}

/** `include=*path*&limit` */
function readQuery(query: string | undefined): readonly QueryMatch[] {
  if (query === undefined || query === "") return [];
  return query.split("&").map((part) => {
    const [name = "", value] = splitAt(part, "=");
    return { name, value: value === undefined ? undefined : globPattern(decoded(value) ?? value) };
  });
}

const LOGIN_PAGE = "/public/login.htm?loginurl=%2Fapi%2Fv2";

/** A header cannot hold other characters. */
function readHeaderText(argument: string): string | undefined {
  return /^[!-~]+$/.test(argument) ? argument : undefined;
}

function readShift(text: string | undefined): number | undefined {
  const sign = text?.[0];
  const size = readDuration(text?.slice(1) ?? "");
  if (size === undefined || size > MAX_SHIFT_MS) return undefined;
  return sign === "+" ? size : sign === "-" ? -size : undefined;
}

function readShare(text: string, share: string | undefined): Pick<Fault, "probability" | "times" | "after"> {
  if (share === undefined) return { probability: 1, times: undefined, after: 0 };
  const { amount, after = "0", only } = SHARE.exec(share)?.groups ?? {};
  if (only !== undefined) return { probability: 1, times: undefined, after: Number(only) };
  const times = integer(amount, 1, Number.MAX_SAFE_INTEGER);
  if (times !== undefined) return { probability: 1, times, after: Number(after) };
  const probability = number(amount, 0, 1);
  if (probability !== undefined && amount?.includes(".") === true) {
    return { probability, times: undefined, after: Number(after) };
  }
  throw new FaultSyntaxError(text, "# needs a probability such as 0.1, a number of requests such as 3, or after=2");
}

function readDuration(text: string): number | undefined {
  const match = DURATION.exec(text);
  return match === null ? undefined : Number(match[1]) * (UNIT_MS[match[2] ?? ""] ?? 1);
}

function readSize(text: string | undefined): number | undefined {
  const match = /^([0-9]+)(B|kB|MB)?$/.exec(text ?? "");
  if (match === null) return undefined;
  const size = Number(match[1]) * ({ kB: 1000, MB: 1_000_000 }[match[2] ?? ""] ?? 1);
  return size > 0 ? size : undefined;
}

function integer(text: string | undefined, min: number, max: number): number | undefined {
  return /^-?[0-9]+$/.test(text ?? "") ? number(text, min, max) : undefined;
}

function number(text: string | undefined, min: number, max: number): number | undefined {
  if (!/^-?[0-9]+(\.[0-9]+)?$/.test(text ?? "")) return undefined;
  const value = Number(text);
  return value >= min && value <= max ? value : undefined;
}

function oneOf<Choice extends string>(text: string, choices: readonly Choice[]): Choice | undefined {
  return choices.find((choice) => choice === text);
}

function fail(error: Error): never {
  throw error;
}
