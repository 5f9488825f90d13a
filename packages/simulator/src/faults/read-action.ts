import help from "../../data/fault-help.json" with { type: "json" };
import { EMPTY_FORMS, type FaultAction, LARGE_SHAPES, PARENT_SHAPES, TEXT_LANGUAGES } from "./actions.ts";
import { integer, number, oneOf, readDuration, readHeaderText, readShift, readSize } from "./arguments.ts";
import { nearest } from "./nearest.ts";
import { BODILESS_STATUSES, readAnswer, readError } from "./read-answer.ts";

const NAMES = help.flatMap(([spelling = ""]) => /^[a-z-]+/.exec(spelling) ?? []);
const LOGIN_PAGE = "/public/login.htm?loginurl=%2Fapi%2Fv2";
/** So that a mistyped size does not take the simulator's own memory. */
const MAX_NAME_CHARACTERS = 100_000_000;
/** Timers of Node.js end at once after more than 24 days. */
const MAX_DOWNTIME_MS = 86_400_000;

/** The name and the argument of a fault, as written. */
export interface WrittenAction {
  readonly name: string;
  readonly argument: string | undefined;
  /** Body of the fault `answer`, if the caller hands it in beside the text. */
  readonly body: string | undefined;
}

/** @param refuse Makes the error for a complaint */
export function readAction({ name, argument, body }: WrittenAction, refuse: (complaint: string) => Error): FaultAction {
  const wrong = (expected: string) => refuse(`${name} takes ${expected}`);
  const bare = (): void => {
    if (argument !== undefined) throw wrong("no argument");
  };
  if (body !== undefined && (name !== "answer" || argument?.includes(",body=") === true)) {
    throw refuse("body: only a fault such as answer=503 without a body of its own takes one");
  }
  switch (name) {
    case "latency":
      return readLatency(argument) ?? fail(wrong("a duration such as 200ms, 2s or 100ms-2s, at most a year"));
    case "error":
      return (
        readError(argument) ??
        fail(
          wrong(
            "a status such as 503, optionally with ,code=CODE, ,body=none, ,retry-after=2s, ,retry-date=2s or ,wait-for=2s (at most a year)",
          ),
        )
      );
    case "answer": {
      const action = readAnswer(argument, body);
      if (action === undefined) {
        throw wrong(
          "a status from 200 to 599, optionally with ,type=text/html, ,retry-after=2s, ,retry-date=2s (at most a year) and last ,body=TEXT, percent-encoded",
        );
      }
      if (action.body !== "" && BODILESS_STATUSES.includes(action.status)) {
        throw refuse(`an answer with status ${action.status} has no body. Leave the body out, or use another status`);
      }
      return action;
    }
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
      return { kind: "empty", as: oneOf(argument ?? "list", EMPTY_FORMS) ?? fail(wrong(EMPTY_FORMS.join(", "))) };
    case "short-rows":
      return { kind: "short-rows", by: integer(argument ?? "1", 1, 1000) ?? fail(wrong("a number of at least 1")) };
    case "refuses": {
      const [, parameter, value] = /^([a-z_]+)(?::([a-z0-9_]+))?$/.exec(argument ?? "") ?? [];
      if (parameter === undefined) throw wrong("a parameter such as include:alerting, limit:1000 or from");
      return { kind: "refuses", parameter, value };
    }
    case "restart":
      return { kind: "restart", downMs: readDowntime(argument) ?? fail(wrong("a duration such as 5s, at most a day")) };
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
      throw refuse(
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

function readDowntime(argument = ""): number | undefined {
  const downMs = readDuration(argument);
  return downMs === undefined || downMs > MAX_DOWNTIME_MS ? undefined : downMs;
}

function fail(error: Error): never {
  throw error;
}
