import type { Readable } from "node:stream";

/** Chunks that may wait to be taken, beyond which no more are read. */
const MAX_WAITING = 1;

/**
 * The chunks of a body one by one, as they come. Iterating over the stream itself puts all together that has come meanwhile: with
 * an answer of a megabyte nearly all of it, a copy that takes as long as to receive it. Not by `on` of `node:events`, which begins with
 * two queues of 16 kB: most of the garbage of a small answer. Leaving the loop ends the stream.
 * @throws what the stream fails with
 */
export async function* chunksOf(body: Readable): AsyncGenerator<Buffer> {
  const waiting: Buffer[] = [];
  let isOver = body.closed;
  let wake: () => void = () => undefined;
  const end = (): void => {
    isOver = true;
    wake();
  };
  // Also when it is ended from here.
  body.on("error", end).on("end", end).on("close", end);
  try {
    if (body.errored !== null) throw body.errored;
    body.on("data", (chunk: unknown) => {
      if (!Buffer.isBuffer(chunk)) return;
      waiting.push(chunk);
      if (waiting.length > MAX_WAITING) body.pause();
      wake();
    });
    for (;;) {
      for (let chunk = waiting.shift(); chunk !== undefined; chunk = waiting.shift()) yield chunk;
      if (isOver) break;
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      if (body.isPaused()) body.resume();
      await woken;
    }
    if (!body.readableEnded) throw body.errored ?? new Error("the body ended early");
  } finally {
    body.destroy();
  }
}
