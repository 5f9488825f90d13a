import { ExporterError } from "../../errors/exporter-error.ts";

export interface ListenAddress {
  /** Undefined: all addresses, IPv6 and IPv4. */
  readonly host: string | undefined;
  readonly port: number;
}

/**
 * Reads an address as Prometheus exporters spell it: `:9705`, `127.0.0.1:9705`, `[::1]:9705`, `localhost:0`.
 * @throws ExporterError LISTEN_FAILED
 */
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
