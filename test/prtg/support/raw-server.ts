import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import { listenOnLoopback } from "../../support/loopback.ts";

/** Plain TCP on loopback. */
export async function rawServer(onConnection: (socket: Socket) => void): Promise<string> {
  const { port, close } = await listenOnLoopback(createServer(onConnection));
  onTestFinished(close);
  return `http://127.0.0.1:${port}`;
}

const MAX_FLOOD_BYTES = 64_000_000;

interface Flood {
  readonly url: string;
  readonly sentBytes: () => number;
  /** Aborted or finished. */
  readonly ended: () => number;
}

function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once("drain", resolve));
}

/** Repeats `unit` until the client aborts, at most 64 MB. */
export async function floodServer(head: string, unit: string): Promise<Flood> {
  let sentBytes = 0;
  let ended = 0;
  const piece = Buffer.from(unit.repeat(Math.ceil(65_536 / unit.length)));
  const flood = async (socket: Socket): Promise<void> => {
    const closed = once(socket, "close");
    socket.write(head);
    for (let sent = 0; sent < MAX_FLOOD_BYTES && !socket.destroyed; sent += piece.length) {
      sentBytes += piece.length;
      if (!socket.write(piece)) await Promise.race([drained(socket), closed]);
    }
    ended++;
    socket.destroy();
  };
  const url = await rawServer((socket) => socket.once("data", () => void flood(socket).catch(() => undefined)));
  return { url, sentBytes: () => sentBytes, ended: () => ended };
}
