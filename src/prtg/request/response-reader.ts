import { isReadable } from "../../lib/http/decoded-body.ts";
import { MAX_DEPTH } from "../answer-bounds.ts";
import { ApiError } from "../api-error.ts";
import { NotAList } from "../paging/json-records.ts";
import type { RecordsBody } from "./response-body.ts";
import type { HttpResponse, ResponseHead } from "./response-head.ts";

const JSON_TYPE = /^(application|text)\/([\w.-]+\+)?json$/;
/** Types that servers give to anything; whether it is JSON, parsing tells. */
const NO_PARTICULAR_TYPE: readonly (string | undefined)[] = [undefined, "", "text/plain", "application/octet-stream"];
/** Parses the body of a successful answer; undefined when there is none. */
export function parseJson(endpoint: string, response: HttpResponse): unknown {
  const { contentType, body } = response;
  if (body === "") return undefined;
  if (!isOfJsonType(response)) {
    throw notJson(endpoint, response, `an answer of type ${contentType} where JSON was due`);
  }
  if (isTooDeep(body)) throw notJson(endpoint, response, `JSON that is nested deeper than ${MAX_DEPTH} levels`);
  try {
    return JSON.parse(body.startsWith("\uFEFF") ? body.slice(1) : body);
  } catch {
    throw invalid(endpoint, response);
  }
}

/**
 * Compressed answers are not asked for, but proxies send them. What cannot be unpacked is not waited for.
 * @throws ApiError
 */
export function refuseEncoding(endpoint: string, head: ResponseHead): void {
  const { contentEncoding } = head;
  if (isReadable(contentEncoding)) return;
  throw notJson(endpoint, head, `an encoding that cannot be read (${contentEncoding})`);
}

/** Whether a successful answer that begins like this can be read record by record. */
export function mayHoldRecords(head: ResponseHead): boolean {
  return isOfJsonType(head);
}

/** Looks at brackets outside of strings, so that nothing is built that something later may go down into. */
function isTooDeep(json: string): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < json.length; at++) {
    const character = json[at];
    if (inString) {
      if (character === "\\") at++;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === "[" || character === "{") {
      depth++;
      if (depth > MAX_DEPTH) return true;
    } else if (character === "]" || character === "}") depth--;
  }
  return false;
}

/** Ends the reading of records. */
export function endRecords(endpoint: string, response: HttpResponse, body: RecordsBody): void {
  body.read(lastRecords(endpoint, response, body));
}

function lastRecords(endpoint: string, response: HttpResponse, body: RecordsBody): readonly unknown[] {
  try {
    return body.end();
  } catch (error) {
    if (isNothing(error, response)) return [];
    throw error instanceof NotAList || response.bytes === 0
      ? notAList(endpoint, response)
      : invalid(endpoint, response);
  }
}

/** Some programs write an empty list as null, or send no body; that there is nothing to list, the total has to say. */
function isNothing(error: unknown, { bytes, totalCount }: HttpResponse): boolean {
  const saysNothing = bytes === 0 || (error instanceof NotAList && error.json === null);
  return saysNothing && totalCount === 0;
}

function isOfJsonType({ contentType }: ResponseHead): boolean {
  return NO_PARTICULAR_TYPE.includes(contentType) || JSON_TYPE.test(contentType ?? "");
}

/** The parser's message quotes the body: left out. */
function invalid(endpoint: string, response: HttpResponse): ApiError {
  return notJson(endpoint, response, `an answer of ${response.bytes} bytes that is not valid JSON`);
}

export function notAList(endpoint: string, response: HttpResponse): ApiError {
  return notJson(endpoint, response, "something else than a list");
}

/** The answer worked, but is not in the form that the specification gives for the endpoint. */
export function notJson(endpoint: string, response: ResponseHead, what: string): ApiError {
  const { status: httpStatus, requestId } = response;
  return new ApiError("API_NOT_JSON", `${endpoint}: HTTP ${httpStatus} with ${what}`, {
    endpoint,
    httpStatus,
    requestId,
  });
}
