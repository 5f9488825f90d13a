import type { FaultEffects } from "../faults/faults.ts";
import { malformed, withLongName, withNewIds } from "../faults/malformed-records.ts";
import { makeAnswerOdd, valueAsText } from "../faults/unusual-answers.ts";
import { withSwappedIds, withWrongParents } from "../faults/wrong-trees.ts";
import { FilterError } from "../filter/filter-error.ts";
import { ApiError } from "./api-errors.ts";
import type { ListReply, Reply } from "./endpoint.ts";
import { linkHeader } from "./paging.ts";

/** A complete answer, before a fault breaks its delivery. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined where the status allows none. */
  readonly body: Buffer | undefined;
}

const JSON_TYPE = "application/json; charset=utf-8";

/** `swapped`: ids that stand for each other under a fault, asked for only then. */
export function answerReply(
  reply: Reply,
  url: URL,
  faults: FaultEffects,
  swapped: () => ReadonlyMap<string, string>,
): Answer {
  const answer = makeAnswerOdd(answerSoundly(reply, url, faults, swapped), faults);
  const type = faults.get("content-type")?.type;
  return type === undefined ? answer : { ...answer, headers: { ...answer.headers, "Content-Type": type } };
}

function answerSoundly(
  reply: Reply,
  url: URL,
  faults: FaultEffects,
  swapped: () => ReadonlyMap<string, string>,
): Answer {
  switch (reply.kind) {
    case "nothing":
      return { status: reply.status, headers: reply.headers, body: undefined };
    case "object":
      return jsonAnswer(reply.status, reply.json, reply.headers);
    case "list":
      return answerList(reply, url, faults, swapped);
  }
}

function answerList(
  { length, render, page, total }: ListReply,
  url: URL,
  faults: FaultEffects,
  swapped: () => ReadonlyMap<string, string>,
): Answer {
  let renderItem = renderOddly(render, length, faults, swapped);
  const isEndless = faults.get("endless-list") !== undefined;
  if (isEndless) renderItem = withNewIds(renderItem, page.offset, total);
  const shownTotal = Math.max(0, total + (faults.get("wrong-total")?.by ?? 0));
  const link = linkHeader(url, page, isEndless ? Number.POSITIVE_INFINITY : total);
  const headers = {
    "Content-Type": JSON_TYPE,
    "X-Result-Count": String(length),
    ...(isEndless ? {} : { "X-Total-Count": String(shownTotal) }),
    ...(link === undefined ? {} : { Link: link }),
  };
  return { status: 200, headers, body: encodeJsonList(length, renderItem) };
}

function renderOddly(
  render: ListReply["render"],
  length: number,
  faults: FaultEffects,
  swapped: () => ReadonlyMap<string, string>,
): ListReply["render"] {
  let renderItem = render;
  const shape = faults.get("parents")?.shape;
  if (shape !== undefined) renderItem = withWrongParents(renderItem, length, shape);
  if (faults.get("swapped-kinds") !== undefined) renderItem = withSwappedIds(renderItem, swapped());
  const characters = faults.get("long-names")?.characters;
  if (characters !== undefined) renderItem = withLongName(renderItem, characters);
  if (faults.get("text-values") !== undefined) renderItem = textValues(renderItem);
  const every = faults.get("odd-records")?.every;
  if (every === undefined) return renderItem;
  return (index) => ((index + 1) % every === 0 ? malformed(renderItem(index), index / every) : renderItem(index));
}

function textValues(render: ListReply["render"]): ListReply["render"] {
  return (index) => valueAsText(render(index));
}

/** The answer to anything that an endpoint or what stands before it threw. */
export function answerError(error: unknown, requestId: string): Answer {
  if (error instanceof ApiError) {
    return jsonAnswer(error.status, errorObject(error.code, error.message, requestId), error.headers);
  }
  if (error instanceof FilterError) {
    return jsonAnswer(400, errorObject(error.code, error.message, requestId));
  }
  const message = error instanceof Error ? error.message : String(error);
  return jsonAnswer(500, errorObject("INTERNAL_ERROR", `Unexpected internal error: ${message}`, requestId));
}

export function errorObject(code: string, message: string, requestId: string): string {
  return JSON.stringify({ code, message, request_id: requestId });
}

/** What something that is not the service answers in its place: a proxy's page, status 200 all the same. */
export function answerHtml(): Answer {
  const page = "<!DOCTYPE html><html><head><title>Welcome</title></head><body><h1>It works</h1></body></html>\n";
  return { status: 200, headers: { "Content-Type": "text/html; charset=utf-8" }, body: Buffer.from(page) };
}

/** What the classic web server, on its own port, answers to a request for the API. */
export function answerRedirect(location: string): Answer {
  return { status: 302, headers: { Location: location }, body: Buffer.alloc(0) };
}

/** What the classic web server answers to a key in the header. */
export function answerUnsupportedScheme(): Answer {
  const page =
    "<!DOCTYPE html><html><body><h1>401 Unauthorized</h1><p>Unsupported authorization scheme</p></body></html>\n";
  return { status: 401, headers: { "Content-Type": "text/html; charset=utf-8" }, body: Buffer.from(page) };
}

function jsonAnswer(status: number, json: string, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, headers: { "Content-Type": JSON_TYPE, ...headers }, body: Buffer.from(json) };
}

/** Items joined before they are encoded. Joining a whole page first took twice the time: 20 ms for 3,000 channels. */
const BATCH = 16;
/** A usual item; the buffer grows where that was too little. */
const BYTES_AN_ITEM = 600;
/** UTF-8 needs at most so many bytes for a UTF-16 unit. */
const MAX_BYTES_A_UNIT = 3;

/** A JSON array as UTF-8, from items that are rendered one by one. */
function encodeJsonList(count: number, render: (index: number) => string): Buffer {
  let buffer = Buffer.allocUnsafeSlow(count * BYTES_AN_ITEM + 2);
  let used = 0;
  const write = (text: string): void => {
    const needed = used + text.length * MAX_BYTES_A_UNIT;
    if (needed > buffer.length && used + Buffer.byteLength(text) > buffer.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(2 * buffer.length, needed));
      buffer.copy(larger, 0, 0, used);
      buffer = larger;
    }
    used += buffer.write(text, used);
  };
  let batch = "[";
  for (let index = 0; index < count; index++) {
    batch += index === 0 ? render(index) : `,${render(index)}`;
    if (index % BATCH !== BATCH - 1) continue;
    write(batch);
    batch = "";
  }
  write(`${batch}]`);
  return buffer.subarray(0, used);
}
