/** One server at many addresses, caches for an interval. Arguments: addresses, sensors, channels, interval in seconds. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { startSimulator } from "prtg-simulator/src/simulator.ts";
import { createWorld } from "prtg-simulator/src/world/world.ts";
import { Agent, request } from "undici";
import { systemClock } from "../../src/lib/clock.ts";
import { mapEntry } from "../../src/lib/map-entry.ts";
import { API_KEY } from "../processes/simulator.ts";

const [addresses = 1, sensors = 1, channels = 1, intervalSeconds = 60] = process.argv.slice(2).map(Number);
const HEADERS = ["content-type", "content-encoding", "x-total-count", "x-result-count", "link"];

interface Kept {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Buffer;
}

const world = createWorld({ seed: 1, size: { sensors, channels }, startedAt: systemClock.now() });
const interval = { seconds: intervalSeconds, errorIntervalsDown: 1 } as const;
const nodes = [...world.list("probe"), ...world.list("group"), ...world.list("device"), ...world.list("sensor")];
// Some have their own interval. This gives all an equally long past.
for (const { id } of nodes) world.edit(id, { interval }, Number.NEGATIVE_INFINITY);

const credentials = { apiKey: API_KEY, username: "bench", password: "password-of-the-bench" };
const { url } = await startSimulator({ world, clock: systemClock, spelling: "live", credentials });
const agent = new Agent({ connections: 4 });
const kept = new Map<string, Promise<Kept>>();
const forget = setInterval(() => kept.clear(), intervalSeconds * 1_000);
forget.unref();

async function ask(path: string, headers: Record<string, string>): Promise<Kept> {
  const response = await request(`${url}${path}`, { dispatcher: agent, headers });
  const body = Buffer.from(await response.body.arrayBuffer());
  const shown = HEADERS.flatMap((name) => {
    const value = response.headers[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { status: response.statusCode, headers: Object.fromEntries(shown), body };
}

async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const path = incoming.url ?? "/";
  const encoding = String(incoming.headers["accept-encoding"] ?? "identity");
  const headers = { authorization: incoming.headers.authorization ?? "", "accept-encoding": encoding };
  const { status, headers: shown, body } = await mapEntry(kept, `${encoding} ${path}`, () => ask(path, headers));
  outgoing.writeHead(status, { ...shown, "content-length": body.length });
  outgoing.end(body);
}

const urls: string[] = [];
for (let count = 0; count < addresses; count++) {
  const server = createServer((incoming, outgoing) => {
    answer(incoming, outgoing).catch((error: unknown) => {
      outgoing.writeHead(502);
      outgoing.end(String(error));
    });
  });
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  urls.push(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}
console.log(`ready on ${urls.join(" ")} .`);
