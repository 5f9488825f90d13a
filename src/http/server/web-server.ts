import { once } from "node:events";
import type { Server } from "node:net";
import { ConnectionHandler, type ConnectionHandlerOptions } from "./connection-handler.ts";
import { type ListenAddress, listen, urlOf } from "./listener.ts";

export interface WebServerOptions extends ConnectionHandlerOptions {
  readonly addresses: readonly ListenAddress[];
}

export interface WebServer {
  /** One per address, such as `http://localhost:9705`. */
  readonly urls: readonly string[];
  /** Waits up to `graceMs` for responses, then cuts connections. */
  close(graceMs: number): Promise<void>;
}

/**
 * A request passes `listener.ts`, `connection-handler.ts`, `protocol-server.ts`, `request-handler.ts` and `pages/`. @throws ExporterError
 * LISTEN_FAILED
 */
export async function startWebServer(options: WebServerOptions): Promise<WebServer> {
  const handler = new ConnectionHandler(options);
  const listeners: Server[] = [];
  try {
    for (const address of options.addresses)
      listeners.push(await listen(address, (socket) => handler.accept(socket), options.log));
  } catch (error) {
    for (const listener of listeners) listener.close();
    throw error;
  }
  const watch = setInterval(() => void handler.watch(), options.watchMs ?? 1_000).unref();
  const scheme = options.webConfig?.current.tls === undefined ? "http" : "https";
  return {
    urls: listeners.map((listener, index) => urlOf(scheme, listener, options.addresses[index]?.host)),
    close: async (graceMs) => {
      await handler.finish(graceMs);
      clearInterval(watch);
      const closed = listeners.map((listener) => once(listener, "close"));
      for (const listener of listeners) listener.close();
      await handler.close();
      await Promise.all(closed);
    },
  };
}
