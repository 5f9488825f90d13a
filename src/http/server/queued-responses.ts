import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/**
 * Sees to it that every response closes. A client may send requests before it has the answers to those before. When one of
 * them is CONNECT, Node ends the connection, closes the response that it was writing, and never those that waited
 * behind it: whoever counts responses would count them for ever.
 */
export class QueuedResponses {
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
        // One that has the socket is Node's to close.
        if (response.socket === socket) continue;
        response.destroy();
        response.emit("close");
      }
    });
    return responses;
  }
}
