import { ApiError } from "./api-error.ts";
import type { HttpResponse } from "./http-response.ts";

const JSON_TYPE = /^(application|text)\/([\w.-]+\+)?json$/;
/** Types that servers give to anything; whether it is JSON, parsing tells. */
const NO_PARTICULAR_TYPE: readonly (string | undefined)[] = [undefined, "", "text/plain", "application/octet-stream"];

/** Parses the body of a successful answer; undefined when there is none. */
export function parseJson(endpoint: string, response: HttpResponse): unknown {
  const { contentType, contentEncoding, body } = response;
  if (contentEncoding !== undefined && contentEncoding !== "identity") {
    throw notJson(endpoint, response, `an encoding that was not asked for (${contentEncoding})`);
  }
  if (body === "") return undefined;
  if (!NO_PARTICULAR_TYPE.includes(contentType) && !JSON_TYPE.test(contentType ?? "")) {
    throw notJson(endpoint, response, `an answer of type ${contentType} where JSON was due`);
  }
  try {
    return JSON.parse(body.startsWith("\uFEFF") ? body.slice(1) : body);
  } catch {
    // The parser's message quotes the body: left out.
    throw notJson(endpoint, response, `an answer of ${response.bytes} bytes that is not valid JSON`);
  }
}

/** The answer worked, but is not in the form that the specification gives for the endpoint. */
export function notJson(endpoint: string, response: HttpResponse, what: string): ApiError {
  const { status: httpStatus, requestId } = response;
  return new ApiError("API_NOT_JSON", `${endpoint}: HTTP ${httpStatus} with ${what}`, {
    endpoint,
    httpStatus,
    requestId,
  });
}
