import { createServer } from "node:net";

/** Below those that the system gives to a program that asks for any port, and to every connection that goes out. */
const PORTS = { from: 20_000, count: 12_000 };
/** Another part of them for each process that may run now. */
let nextPort = (process.pid * 37) % PORTS.count;

/**
 * A port of the loopback address on which no program listens, for one that starts later, or again: no other is given it
 * meanwhile. A port of the system's choice may go to another program as soon as the one before stops listening on it.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < PORTS.count; tries++) {
    const port = PORTS.from + (nextPort++ % PORTS.count);
    if (await isFree(port)) return port;
  }
  throw new Error("no port is free");
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.on("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
