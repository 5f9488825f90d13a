import { once } from "node:events";
import { createServer } from "node:net";
import type { ListenAddress } from "../http/server/listener.ts";

/** How many ports are tried for one address. */
export const MAX_PORTS_TRIED = 100;

/**
 * Every address with its port, or with the next free one where that is taken. Another program may still take it before
 * we do. An address that cannot be had for other reasons stays as it is: what listens there says why.
 */
export async function freeAddresses(addresses: readonly ListenAddress[]): Promise<readonly ListenAddress[]> {
  const free: ListenAddress[] = [];
  for (const address of addresses) free.push(await freeAddress(address, free));
  return free;
}

async function freeAddress(address: ListenAddress, given: readonly ListenAddress[]): Promise<ListenAddress> {
  if (address.port === 0) return address;
  const last = Math.min(address.port + MAX_PORTS_TRIED, 65_536);
  for (let port = address.port; port < last; port++) {
    const candidate = { ...address, port };
    const isGiven = given.some((other) => other.port === port && other.host === address.host);
    if (!isGiven && !(await isTaken(candidate))) return candidate;
  }
  return address;
}

async function isTaken({ host, port }: ListenAddress): Promise<boolean> {
  const server = createServer();
  server.listen(port, host);
  try {
    await once(server, "listening");
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EADDRINUSE";
  }
  server.close();
  await once(server, "close");
  return false;
}
