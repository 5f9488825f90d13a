import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { ApiError, badRequest } from "../api-errors.ts";

/** "Maximum POST body size 15 KB." */
const MAX_BYTES = 15 * 1024;

/** The body of one request, read once. */
export class RequestBody {
  readonly #request: IncomingMessage;
  #read: Promise<Buffer> | undefined;

  constructor(request: IncomingMessage) {
    this.#request = request;
  }

  /** @throws RequestRefused BODY_TOO_LARGE */
  read(): Promise<Buffer> {
    this.#read ??= readBody(this.#request);
    return this.#read;
  }

  /** As JSON; undefined where there is none. @throws RequestRefused BODY_TOO_LARGE, BAD_REQUEST */
  async readJson(): Promise<unknown> {
    const body = await this.read();
    if (body.length === 0) return undefined;
    // "Request and response bodies are JSON", which is UTF-8.
    if (!isUtf8(body)) throw badRequest("The body is not UTF-8");
    try {
      return JSON.parse(body.toString("utf8"));
    } catch {
      throw badRequest("The body is not JSON");
    }
  }
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BYTES) {
      // The rest of the body would be taken for the next request.
      const headers = { Connection: "close" };
      throw new ApiError("BODY_TOO_LARGE", "POST body too large; limit 15 KB", { headers });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
