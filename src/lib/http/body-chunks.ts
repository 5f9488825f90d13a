import { on } from "node:events";
import type { Readable } from "node:stream";

/** Chunks that may wait to be taken, beyond which no more are read. */
const MAX_WAITING = 1;

/**
 * The chunks of a body one by one, as they come. Iterating over the stream itself puts all together that has come meanwhile: with
 * an answer of a megabyte nearly all of it, a copy that takes as long as to receive it. Leaving the loop ends the stream.
 * @throws what the stream fails with
 */
export async function* chunksOf(body: Readable): AsyncGenerator<Buffer> {
  // Also when it is ended from here.
  body.on("error", () => undefined);
  try {
    if (body.errored !== null) throw body.errored;
    const waiting = { highWaterMark: MAX_WAITING, lowWaterMark: MAX_WAITING };
    for await (const [chunk] of on(body, "data", { close: ["end", "close"], ...waiting })) {
      if (Buffer.isBuffer(chunk)) yield chunk;
    }
    if (!body.readableEnded) throw body.errored ?? new Error("the body ended early");
  } finally {
    body.destroy();
  }
}
