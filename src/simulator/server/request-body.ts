import type { IncomingMessage } from "node:http";
import { ApiError, badRequest } from "../api-errors.ts";

/** "Maximum POST body size 15 KB." */
const MAX_BYTES = 15 * 1024;

/**
 * Reads a request body as JSON; undefined where there is none.
 * @throws RequestRefused BODY_TOO_LARGE, BAD_REQUEST
 */
export async function readJsonBody(request: IncomingMessage): Promise<unknown> {
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
  if (size === 0) return undefined;
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    throw badRequest("The body is no JSON");
  }
}
