import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { Answer } from "../api/reply.ts";
import type { Clock } from "../clock.ts";
import type { FaultEffects } from "../faults/faults.ts";
import { largeBody } from "../faults/large-body.ts";

export interface DeliveryOptions {
  readonly faults: FaultEffects;
  readonly clock: Clock;
  /** Aborts when the connection ends. */
  readonly signal: AbortSignal;
}

const DRIPS_A_SECOND = 20;
/** An item of a list that never ends; no record of anything. */
const ENDLESS_PIECE = Buffer.from(`${"{},".repeat(5461)}\n`);

/** Sends an answer, the way the faults let it arrive. `headers` go with every answer. */
export async function deliver(
  response: ServerResponse,
  answer: Answer,
  headers: Readonly<Record<string, string>>,
  options: DeliveryOptions,
): Promise<void> {
  const { faults } = options;
  const endless = faults.get("endless");
  // A status without a body stays without one.
  if (endless !== undefined && answer.body !== undefined) {
    response.writeHead(answer.status, { ...headers, ...answer.headers });
    await sendEndlessly(response, endless.bytesPerSecond, options);
    return;
  }
  const large = faults.get("large");
  if (large !== undefined) {
    // Also where there should be no body: what is too large is not what was expected.
    const type = { "Content-Type": "application/json", "Content-Length": String(large.bytes) };
    response.writeHead(answer.status === 204 ? 200 : answer.status, { ...headers, ...answer.headers, ...type });
    await sendPieces(response, largeBody(large), options.signal);
    return;
  }
  const truncate = faults.get("truncate");
  const body = truncate === undefined ? answer.body : answer.body?.subarray(0, answer.body.length * truncate.fraction);
  const length = body === undefined ? {} : lengthHeaders(body.length, faults.get("wrong-length")?.by);
  response.writeHead(answer.status, { ...headers, ...answer.headers, ...length });
  if (body === undefined) {
    response.end();
  } else if (faults.get("cut")?.where === "body") {
    response.write(body.subarray(0, body.length / 2), () => response.destroy());
  } else {
    await send(response, body, faults.get("drip")?.bytesPerSecond, options);
  }
}

/** After a wrong length, a client cannot tell where the next answer begins: the connection ends. */
function lengthHeaders(length: number, wrongBy: number | undefined): Readonly<Record<string, string>> {
  if (wrongBy === undefined) return { "Content-Length": String(length) };
  const stated = Math.max(0, length + wrongBy);
  // An empty body cannot be stated as shorter, and the right length would be no fault.
  return { "Content-Length": String(stated === length ? length + 1 : stated), Connection: "close" };
}

/** Rejects when the client closes the connection. */
async function sendPieces(response: ServerResponse, pieces: Iterable<Buffer>, signal: AbortSignal): Promise<void> {
  for (const piece of pieces) {
    signal.throwIfAborted();
    if (!response.write(piece)) await once(response, "drain", { signal });
  }
  response.end();
}

/** Rejects when the client closes the connection. */
async function sendEndlessly(
  response: ServerResponse,
  bytesPerSecond: number | undefined,
  { clock, signal }: DeliveryOptions,
): Promise<void> {
  response.write("[");
  for (;;) {
    signal.throwIfAborted();
    const piece = bytesPerSecond === undefined ? ENDLESS_PIECE : cutPiece(bytesPerSecond / DRIPS_A_SECOND);
    if (!response.write(piece)) await once(response, "drain", { signal });
    if (bytesPerSecond !== undefined) await clock.sleep((1000 * piece.length) / bytesPerSecond, signal);
  }
}

function cutPiece(size: number): Buffer {
  return ENDLESS_PIECE.subarray(0, Math.max(3, Math.round(Math.min(size, ENDLESS_PIECE.length - 1) / 3) * 3));
}

async function send(
  response: ServerResponse,
  body: Buffer,
  bytesPerSecond: number | undefined,
  { clock, signal }: DeliveryOptions,
): Promise<void> {
  if (bytesPerSecond === undefined) {
    response.end(body);
    return;
  }
  const size = Math.max(1, Math.round(bytesPerSecond / DRIPS_A_SECOND));
  for (let start = 0; start < body.length; start += size) {
    if (start > 0) await clock.sleep((1000 * size) / bytesPerSecond, signal);
    response.write(body.subarray(start, start + size));
  }
  response.end();
}
