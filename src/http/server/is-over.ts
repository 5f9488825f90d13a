import type { ServerResponse } from "node:http";
import { Http2ServerResponse } from "node:http2";

/** Whether nothing more reaches the reader of a response: it has all of it, or it has gone. */
export function isOver(response: ServerResponse): boolean {
  const either: unknown = response;
  // That of HTTP/2 has neither `closed` nor `destroyed`: its stream has.
  if (either instanceof Http2ServerResponse) return either.stream.closed || either.stream.destroyed;
  return response.closed || response.destroyed;
}
