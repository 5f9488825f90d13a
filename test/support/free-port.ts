import { createServer } from "node:net";

/** Below the system's ephemeral ports. */
const PORTS = { from: 20_000, count: 12_000 };
/** Each process uses another part. */
let nextPort = (process.pid * 37) % PORTS.count;

/** For a listener that starts later or again. Not reused meanwhile: a system-chosen port could go to another program. */
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
