import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { StreamedPage } from "../../exposition/representation.ts";
import { isOver } from "./is-over.ts";

/** Written at one go where each byte written is memory of its own: what is made as it is read, and what is encrypted. */
const BATCH_BYTES = 1_024 * 1_024;

/**
 * Writes the body of a response as fast as the reader takes it, and ends it. Ends early when the reader has gone. Of
 * what is made while it is sent, no more is made than was taken, and no more is encrypted; what is ready and goes as it
 * is, is handed over at once, which is quickest.
 */
export async function sendPage(response: ServerResponse, { beginning, end }: StreamedPage): Promise<void> {
  if (Symbol.iterator in beginning && !isEncrypted(response)) write(response, beginning);
  else if (!(await writeInBatches(response, beginning))) return;
  const rest = await end();
  if (!isOver(response)) write(response, rest, true);
}

/** By the request: a response that waits behind another one on its connection has no socket yet. */
function isEncrypted({ req }: ServerResponse): boolean {
  const socket: unknown = req.socket;
  return typeof socket === "object" && socket !== null && "encrypted" in socket && socket.encrypted === true;
}

/** False when the reader has gone. */
async function writeInBatches(response: ServerResponse, buffers: StreamedPage["beginning"]): Promise<boolean> {
  let batch: Buffer[] = [];
  let bytes = 0;
  for await (const buffer of buffers) {
    batch.push(buffer);
    bytes += buffer.length;
    if (bytes < BATCH_BYTES) continue;
    if (!write(response, batch)) await drained(response);
    if (isOver(response)) return false;
    batch = [];
    bytes = 0;
  }
  write(response, batch);
  return true;
}

/**
 * Together, so that the operating system is asked once: a response's own cork would let go of each buffer by itself.
 * False where more has to wait.
 */
function write(response: ServerResponse, buffers: Iterable<Buffer>, isEnd = false): boolean {
  const { socket } = response;
  let hasRoom = true;
  socket?.cork();
  for (const buffer of buffers) hasRoom = response.write(buffer);
  if (isEnd) response.end();
  socket?.uncork();
  return hasRoom;
}

async function drained(response: ServerResponse): Promise<void> {
  if (isOver(response)) return;
  const over = new AbortController();
  const { signal } = over;
  await Promise.race([once(response, "drain", { signal }), once(response, "close", { signal })]).catch(() => undefined);
  over.abort();
}
