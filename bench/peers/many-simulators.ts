/** Each has its own world and port. Arguments: servers, channels per server. */

import { startSimulator } from "prtg-simulator/src/simulator.ts";
import { createWorld } from "prtg-simulator/src/world/world.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { API_KEY, sensorsOf } from "../processes/simulator.ts";

const [servers = 1, channels = 1] = process.argv.slice(2).map(Number);
const urls: string[] = [];
for (let seed = 1; seed <= servers; seed++) {
  const size = { sensors: sensorsOf(channels), channels };
  const { url } = await startSimulator({
    world: createWorld({ seed, size, startedAt: systemClock.now() }),
    clock: systemClock,
    spelling: "live",
    credentials: { apiKey: API_KEY, username: "bench", password: "password-of-the-bench" },
  });
  urls.push(url);
}
console.log(`ready on ${urls.join(" ")} .`);
