import type { FaultAction } from "./actions.ts";
import { decoded, integer, number, splitAt } from "./arguments.ts";
import { type GlobPattern, globPattern, MAX_GLOB_LENGTH } from "./glob.ts";
import { readAction } from "./read-action.ts";

/** A query parameter that a request must have. */
export interface QueryMatch {
  readonly name: string;
  /** `undefined`: any value. */
  readonly value: GlobPattern | undefined;
}

export interface Fault {
  /** As written. */
  readonly text: string;
  readonly action: FaultAction;
  /** Undefined: any. */
  readonly method: string | undefined;
  readonly path: GlobPattern | undefined;
  /** A request must have all of them. */
  readonly query: readonly QueryMatch[];
  /** Number of matching requests that pass before the fault begins. */
  readonly after: number;
  /** From 0 to 1. */
  readonly probability: number;
  /** How many requests it applies to before it is over; undefined: no end. */
  readonly times: number | undefined;
}

/** Longer faults are cut in messages. */
const MAX_SHOWN_LENGTH = 500;

/** Says which part of a fault could not be read. */
export class FaultSyntaxError extends Error {
  constructor(fault: string, complaint: string) {
    const shown = fault.length > MAX_SHOWN_LENGTH ? `${fault.slice(0, MAX_SHOWN_LENGTH)}...` : fault;
    super(`fault "${shown}": ${complaint}`);
    this.name = "FaultSyntaxError";
  }
}

const SHAPE =
  /^(?<name>[a-z-]+)(?:=(?<argument>[^@#]*))?(?:@(?:(?<method>[A-Z]+):)?(?<glob>[^#?]*)(?:\?(?<query>[^#]*))?)?(?:#(?<share>.*))?$/;
/** `0.1`, `3`, `after=2` and `3,after=2` */
const SHARE = /^(?:(?<amount>[^,=]+)(?:,after=(?<after>[0-9]{1,15}))?|after=(?<only>[0-9]{1,15}))$/;
const GRAMMAR = "name[=argument][@[METHOD:]path-glob[?query]][#share]";

/**
 * Reads one fault: `name[=argument][@[METHOD:]path-glob[?query]][#share]`. See `FaultAction` for names and arguments.
 *
 * The glob is matched with the path below `/api/v2`; `*` stands for any characters, `{id}` for one part of it. The query has names
 * and globs of values: `?include=*path*&limit`. `#0.1` hits one request in ten, `#3` the next three that it applies to, and
 * `#3,after=2` the three after the next two. Example: `error=503@/experimental/sensors*#0.1`.
 * @param body Body of the fault `answer`, as it is sent
 * @throws FaultSyntaxError
 */
export function parseFault(text: string, body?: string): Fault {
  const refuse = (complaint: string) => new FaultSyntaxError(text, complaint);
  const groups = SHAPE.exec(text)?.groups;
  if (groups === undefined) throw refuse(`expected ${GRAMMAR}`);
  const { name = "", argument, method, glob, query = "", share } = groups;
  if (glob !== undefined && glob.length > MAX_GLOB_LENGTH) {
    throw refuse(`the path glob has ${glob.length} characters. Use at most ${MAX_GLOB_LENGTH}`);
  }
  if (query.length > MAX_GLOB_LENGTH) {
    throw refuse(`the query has ${query.length} characters. Use at most ${MAX_GLOB_LENGTH}`);
  }
  if (glob !== undefined && !glob.startsWith("/") && !glob.startsWith("*")) {
    throw refuse(`the path glob must begin with / or *, not ${JSON.stringify(glob)}`);
  }
  return {
    text,
    action: readAction({ name, argument, body }, refuse),
    method,
    path: glob === undefined ? undefined : globPattern(glob),
    query: readQuery(query),
    ...readShare(text, share),
  };
}

/** `include=*path*&limit` */
function readQuery(query: string): readonly QueryMatch[] {
  if (query === "") return [];
  return query.split("&").map((part) => {
    const [name = "", value] = splitAt(part, "=");
    return { name, value: value === undefined ? undefined : globPattern(decoded(value) ?? value) };
  });
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
