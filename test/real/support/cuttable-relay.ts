import http, { createServer } from "node:http";
import { listenOnLoopback } from "../../support/loopback.ts";

export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

export interface CuttableRelay {
  readonly url: string;
  /** `down`: connections end. `deaf`: requests arrive, and their answers are lost. */
  state: "up" | "down" | "deaf";
  close(): Promise<void>;
}

/** Passes requests on to a server. @param onDone Called with each request that was answered with success, also if the answer is lost. */
export async function startRelay(to: string, onDone: (exchange: Exchange) => void): Promise<CuttableRelay> {
  const relay = { state: "up" as CuttableRelay["state"] };
  const server = createServer((request, response) => {
    const { method = "GET", url: path = "/", headers } = request;
    if (relay.state === "down") return void request.socket.destroy();
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      const outgoing = http.request(`${to}${path}`, { method, headers }, (answer) => {
        const { statusCode = 502 } = answer;
        if (statusCode < 300) onDone({ method, path, body: Buffer.concat(pieces).toString() });
        if (relay.state !== "up") return void request.socket.destroy();
        response.writeHead(statusCode, answer.headers);
        answer.pipe(response);
      });
      outgoing.on("error", () => request.socket.destroy());
      outgoing.end(Buffer.concat(pieces));
    });
  });
  const { port, close } = await listenOnLoopback(server);
  return Object.assign(relay, { url: `http://127.0.0.1:${port}`, close });
}
