import { createServer, type IncomingHttpHeaders, type OutgoingHttpHeaders } from "node:http";
import { listenOnLoopback } from "../../support/loopback.ts";

interface ReceivedRequest {
  /** Path and query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** The sender gave up, and will repeat the request. */
  isGone(): boolean;
}

interface Answer {
  readonly status: number;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string;
}

/** HTTP server that answers as `answer` says, and 502 if it fails. */
export async function startAnsweringServer(
  answer: (request: ReceivedRequest) => Promise<Answer>,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = createServer(async (incoming, response) => {
    try {
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(chunk);
      const { url = "", headers, socket } = incoming;
      const request = { url, headers, body: Buffer.concat(chunks), isGone: () => socket.destroyed };
      const { status, headers: more = {}, body } = await answer(request);
      response.writeHead(status, more).end(body);
    } catch (error) {
      response.writeHead(502).end(String(error));
    }
  });
  const { port, close } = await listenOnLoopback(server);
  return { url: `http://127.0.0.1:${port}`, close };
}
