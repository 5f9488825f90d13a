import { RequestRefused } from "./api-errors.ts";
import type { ListReply, Reply } from "./endpoint.ts";
import type { FaultEffects } from "./faults.ts";
import { FilterError } from "./filter/filter-error.ts";
import { encodeJsonList } from "./json-list.ts";
import { makeOdd } from "./odd-records.ts";
import { linkHeader } from "./paging.ts";

/** A complete answer, before a fault breaks its delivery. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined where the status allows none. */
  readonly body: Buffer | undefined;
}

const JSON_TYPE = "application/json; charset=utf-8";

export function answerReply(reply: Reply, url: URL, faults: FaultEffects): Answer {
  switch (reply.kind) {
    case "nothing":
      return { status: reply.status, headers: reply.headers, body: undefined };
    case "object":
      return jsonAnswer(reply.status, reply.json, reply.headers);
    case "list":
      return answerList(reply, url, faults);
  }
}

function answerList({ length, render, page, total }: ListReply, url: URL, faults: FaultEffects): Answer {
  const every = faults.get("odd-records")?.every;
  const renderItem =
    every === undefined
      ? render
      : (index: number) => ((index + 1) % every === 0 ? makeOdd(render(index), index / every) : render(index));
  const shownTotal = Math.max(0, total + (faults.get("wrong-total")?.by ?? 0));
  const link = linkHeader(url, page, total);
  const headers = {
    "Content-Type": JSON_TYPE,
    "X-Result-Count": String(length),
    "X-Total-Count": String(shownTotal),
    ...(link === undefined ? {} : { Link: link }),
  };
  return { status: 200, headers, body: encodeJsonList(length, renderItem) };
}

/** The answer to anything that an endpoint or what stands before it threw. */
export function answerError(error: unknown, requestId: string): Answer {
  if (error instanceof RequestRefused) {
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

function jsonAnswer(status: number, json: string, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, headers: { "Content-Type": JSON_TYPE, ...headers }, body: Buffer.from(json) };
}
