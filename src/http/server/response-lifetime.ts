import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerResponse } from "node:http2";
import type { Socket } from "node:net";

/** The reader has all of it, or left. */
export function isClosed(response: ServerResponse): boolean {
  const either: ServerResponse | Http2ServerResponse = response;
  // That of HTTP/2 has neither `closed` nor `destroyed`: its stream has.
  if (isHttp2(either)) return either.stream.closed || either.stream.destroyed;
  return response.closed || response.destroyed;
}

/** Its class would have to be loaded for HTTP/1 too. */
function isHttp2(response: ServerResponse | Http2ServerResponse): response is Http2ServerResponse {
  return "stream" in response;
}

/** Aborts when the reader leaves before the end of its answer. */
export function clientGoneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  if (isClosed(response)) gone.abort();
  else {
    response.once("close", () => {
      if (!response.writableFinished) gone.abort();
    });
  }
  return gone.signal;
}

/**
 * Closes every pipelined response. After a CONNECT among them, Node ends the connection, closes the response it writes,
 * and never those behind it.
 */
export class PipelinedResponses {
  readonly #bySocket = new WeakMap<Socket, Set<ServerResponse>>();

  track({ socket, httpVersionMajor }: IncomingMessage, response: ServerResponse): void {
    // Streams of HTTP/2 close one by one.
    if (httpVersionMajor !== 1) return;
    const responses = this.#bySocket.get(socket) ?? this.#watch(socket);
    responses.add(response);
    response.once("close", () => responses.delete(response));
  }

  #watch(socket: Socket): Set<ServerResponse> {
    const responses = new Set<ServerResponse>();
    this.#bySocket.set(socket, responses);
    socket.once("close", () => {
      for (const response of responses) {
        // Node closes the one that has the socket.
        if (response.socket === socket) continue;
        response.destroy();
        response.emit("close");
      }
    });
    return responses;
  }
}
