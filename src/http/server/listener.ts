import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import type { Logger } from "pino";
import { ExporterError } from "../../errors/exporter-error.ts";

export interface ListenAddress {
  /** `undefined`: all addresses, IPv6 and IPv4. */
  readonly host: string | undefined;
  readonly port: number;
}

/** Formats: `:9705`, `127.0.0.1:9705`, `[::1]:9705`, `localhost:0`. @throws ExporterError LISTEN_FAILED */
export function parseListenAddress(text: string): ListenAddress {
  const match = /^(?:\[([0-9A-Fa-f:.%]+)\]|([^:[\]\s]*)):(\d{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  if (match === null || port > 65_535) {
    throw new ExporterError("LISTEN_FAILED", `"${text}" is not a listen address`, {
      remedy: "Give host:port, :port for all addresses, or [address]:port for IPv6.",
    });
  }
  return { host: match[1] ?? (match[2] || undefined), port };
}

/** @throws ExporterError LISTEN_FAILED */
export async function listen(address: ListenAddress, accept: (socket: Socket) => void, log: Logger): Promise<Server> {
  // As in Node's own server: HTTP decides when the other direction ends.
  const listener = createServer({ allowHalfOpen: true, noDelay: true, keepAlive: true }, (socket) => {
    // The protocol server handles errors only while it uses the connection.
    socket.on("error", () => undefined);
    accept(socket);
  });
  listener.listen(address.port, address.host);
  try {
    await once(listener, "listening");
  } catch (error) {
    const where = `${address.host ?? ""}:${address.port}`;
    throw new ExporterError("LISTEN_FAILED", `cannot listen on ${where}`, { cause: error });
  }
  // Temporary, for example too many open files.
  listener.on("error", (error) => log.error({ err: error }, "a connection to the exporter failed"));
  return listener;
}

export function urlOf(scheme: string, listener: Server, host: string | undefined): string {
  const { port } = listener.address() as AddressInfo;
  if (host === undefined || host === "0.0.0.0" || host === "::") return `${scheme}://localhost:${port}`;
  return `${scheme}://${host.includes(":") ? `[${host}]` : host}:${port}`;
}
