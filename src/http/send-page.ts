import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { PageInTwo } from "../exposition/exposition.ts";

/** Written at one go: more at a time would be encrypted at one go too, and wait in memory for a slow reader. */
const BATCH_BYTES = 1_024 * 1_024;

/**
 * Writes the body of a response as fast as the reader takes it, and ends it. Ends early when the reader has gone. Of
 * what is made while it is sent, no more is made than was taken.
 */
export async function sendPage(response: ServerResponse, { beginning, end }: PageInTwo): Promise<void> {
  let batch: Buffer[] = [];
  let bytes = 0;
  const flush = async (isEnd = false) => {
    const hasRoom = write(response, batch, isEnd);
    batch = [];
    bytes = 0;
    if (!hasRoom) await drained(response);
  };
  for await (const buffer of beginning) {
    batch.push(buffer);
    bytes += buffer.length;
    if (bytes < BATCH_BYTES) continue;
    await flush();
    if (response.closed || response.destroyed) return;
  }
  await flush();
  for (const buffer of await end()) batch.push(buffer);
  if (response.closed || response.destroyed) return;
  await flush(true);
}

/**
 * Together, so that the operating system is asked once: a response's own cork would let go of each buffer by itself.
 * False where more has to wait.
 */
function write(response: ServerResponse, buffers: readonly Buffer[], isEnd: boolean): boolean {
  const { socket } = response;
  let hasRoom = true;
  socket?.cork();
  for (const buffer of buffers) hasRoom = response.write(buffer);
  if (isEnd) response.end();
  socket?.uncork();
  return hasRoom || isEnd;
}

async function drained(response: ServerResponse): Promise<void> {
  if (response.closed || response.destroyed) return;
  const over = new AbortController();
  const { signal } = over;
  await Promise.race([once(response, "drain", { signal }), once(response, "close", { signal })]).catch(() => undefined);
  over.abort();
}
