import type { Server as HttpServer } from "node:http";
import type { AddressInfo, Server, Socket } from "node:net";

interface Listening {
  readonly port: number;
  /** Number of connections so far. */
  connections(): number;
  /** Ends the connections, too. */
  close(): Promise<void>;
}

/** Listens on a free port of 127.0.0.1. The default keep-alive of 5 s may close an idle connection under a late request. */
export async function listenOnLoopback(server: Server | HttpServer): Promise<Listening> {
  if ("keepAliveTimeout" in server) server.keepAliveTimeout = 65_000;
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on("connection", (socket: Socket) => {
    connections++;
    sockets.add(socket);
    socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
