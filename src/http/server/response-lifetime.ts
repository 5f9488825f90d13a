import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerResponse } from "node:http2";
import type { Socket } from "node:net";

/** The response ended or the client disconnected. */
export function isClosed(response: ServerResponse): boolean {
  const either: ServerResponse | Http2ServerResponse = response;
  // An HTTP/2 response has neither `closed` nor `destroyed`, but its stream has.
  if (isHttp2(either)) return either.stream.closed || either.stream.destroyed;
  return response.closed || response.destroyed;
}

/** `instanceof` would load the module of HTTP/2. */
function isHttp2(response: ServerResponse | Http2ServerResponse): response is Http2ServerResponse {
  return "stream" in response;
}

/** Aborts if the client disconnects before the end of the response. */
export function disconnectSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  if (isClosed(response)) controller.abort();
  else {
    response.once("close", () => {
      if (!response.writableFinished) controller.abort();
    });
  }
  return controller.signal;
}

/** Closes pipelined responses. After a CONNECT, Node closes only the response that it writes and forgets those behind it. */
export class PipelinedResponses {
  readonly #bySocket = new WeakMap<Socket, Set<ServerResponse>>();

  track({ socket, httpVersionMajor }: IncomingMessage, response: ServerResponse): void {
    // HTTP/2 closes each stream.
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
        // Node closes the response that has the socket.
        if (response.socket === socket) continue;
        response.destroy();
        response.emit("close");
      }
    });
    return responses;
  }
}
