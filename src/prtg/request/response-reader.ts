import type { Redactor } from "../../errors/redactor.ts";
import { detachLast } from "../../lib/buffers.ts";
import { isSupportedEncoding } from "../../lib/http/decoded-body.ts";
import { yieldToEventLoop } from "../../lib/yielding.ts";
import { MAX_DEPTH, MAX_ERROR_BYTES } from "../answer-bounds.ts";
import type { ApiError } from "../api-error.ts";
import type { ServerClock } from "../server-clock.ts";
import { JsonRecords, NotAList } from "./json-records.ts";
import type { ApiAnswer, ApiRequest, HttpResponse, ResponseHead } from "./messages.ts";
import { notJson, responseError } from "./response-error.ts";

export class ResponseReader {
  readonly #request: ApiRequest;
  readonly #serverClock: ServerClock;
  readonly #redactor: Redactor;
  #records: JsonRecords | undefined;

  constructor(request: ApiRequest, serverClock: ServerClock, redactor: Redactor) {
    this.#request = request;
    this.#serverClock = serverClock;
    this.#redactor = redactor;
  }

  /**
   * Returns the reader of the body.
   * @throws ApiError if the body cannot be read
   */
  begin(head: ResponseHead): ResponseBody {
    const { endpoint, startRecords, members } = this.#request;
    if (head.status >= 300) return new TextBody(MAX_ERROR_BYTES);
    // Errors may come from a proxy with another clock.
    this.#serverClock.update(head.dateMs);
    refuseEncoding(endpoint, head);
    if (startRecords === undefined) return new TextBody();
    if (!isOfJsonType(head)) return new TextBody(MAX_ERROR_BYTES);
    const records = new JsonRecords(startRecords(), { members });
    this.#records = records;
    return {
      take: (chunk) => {
        const isFound = records.take(chunk);
        detachLast(chunk);
        return isFound ? yieldToEventLoop() : undefined;
      },
      get isEnough() {
        return records.isBroken;
      },
      text: () => "",
    };
  }

  /** @throws ApiError for failures and wrong forms */
  end(response: HttpResponse): ApiAnswer {
    const { endpoint, startRecords } = this.#request;
    if (this.#records !== undefined) {
      takeLast(endpoint, response, this.#records);
      return { json: undefined, response };
    }
    if (response.status >= 300) {
      throw responseError(endpoint, response, this.#serverClock.now(), (text) => this.#redactor.redact(text));
    }
    const json = parseJson(endpoint, response);
    if (startRecords !== undefined) throw notAList(endpoint, response);
    return { json, response };
  }
}

const JSON_TYPE = /^(application|text)\/([\w.-]+\+)?json$/;
/** Servers use these types for anything. */
const NO_PARTICULAR_TYPE: readonly (string | undefined)[] = [undefined, "", "text/plain", "application/octet-stream"];
/** `undefined` without a body. */
export function parseJson(endpoint: string, response: HttpResponse): unknown {
  const { contentType, body } = response;
  if (body === "") return undefined;
  if (!isOfJsonType(response)) {
    throw notJson(endpoint, response, `an answer of type ${contentType} instead of JSON`);
  }
  if (isTooDeep(body)) throw notJson(endpoint, response, `JSON that is nested deeper than ${MAX_DEPTH} levels`);
  try {
    return JSON.parse(body.startsWith("\uFEFF") ? body.slice(1) : body);
  } catch {
    throw invalid(endpoint, response);
  }
}

function refuseEncoding(endpoint: string, head: ResponseHead): void {
  const { contentEncoding } = head;
  if (isSupportedEncoding(contentEncoding)) return;
  throw notJson(endpoint, head, `an unknown encoding (${contentEncoding})`);
}

/** Checks brackets outside of strings before anything is built. */
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

function takeLast(endpoint: string, response: HttpResponse, records: JsonRecords): void {
  try {
    records.end();
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof NotAList)) throw error;
    if (isNothing(error, response)) return;
    throw error instanceof NotAList || response.bytes === 0
      ? notAList(endpoint, response)
      : invalid(endpoint, response);
  }
}

/** Some programs send null or nothing for an empty list. The total must confirm that. */
function isNothing(error: unknown, { bytes, totalCount }: HttpResponse): boolean {
  const saysNothing = bytes === 0 || (error instanceof NotAList && error.json === null);
  return saysNothing && totalCount === 0;
}

function isOfJsonType({ contentType }: ResponseHead): boolean {
  return NO_PARTICULAR_TYPE.includes(contentType) || JSON_TYPE.test(contentType ?? "");
}

/** The parser's message would quote the body. */
function invalid(endpoint: string, response: HttpResponse): ApiError {
  return notJson(endpoint, response, `an answer of ${response.bytes} bytes that is not valid JSON`);
}

function notAList(endpoint: string, response: HttpResponse): ApiError {
  return notJson(endpoint, response, "an answer that is not a list");
}

export interface ResponseBody {
  /** Wait for the promise before the next chunk. */
  take(chunk: Buffer): Promise<void> | undefined;
  /** The rest is not needed. */
  readonly isEnough: boolean;
  /** Empty if the body is not kept. */
  text(): string;
}

class TextBody implements ResponseBody {
  readonly #chunks: Buffer[] = [];
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes = Number.POSITIVE_INFINITY) {
    this.#maxBytes = maxBytes;
  }

  get isEnough(): boolean {
    return this.#bytes >= this.#maxBytes;
  }

  take(chunk: Buffer): undefined {
    this.#chunks.push(chunk.subarray(0, this.#maxBytes - this.#bytes));
    this.#bytes += chunk.length;
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString("utf8");
  }
}
