import type { ServerResponse } from "node:http";
import { isOver } from "./is-over.ts";

/** Aborts when the reader of an answer goes away before it has all of it, so that nothing more is made for it. */
export function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  if (isOver(response)) gone.abort();
  else {
    response.once("close", () => {
      if (!response.writableFinished) gone.abort();
    });
  }
  return gone.signal;
}
