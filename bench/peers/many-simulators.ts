/** Simulated servers in one process, each with a world and a port of its own: argument 1 of them, with argument 2 channels each. */
import { systemClock } from "../../src/lib/clock.ts";
import { startSimulator } from "../../src/simulator/simulator.ts";
import { createWorld } from "../../src/simulator/world/world.ts";
import { API_KEY, sensorsOf } from "../processes/simulator.ts";
import { measureAlike } from "./measured-alike.ts";

/** The default of the product. The time series of faster sensors are as many on one server as on hundreds, and would hide what these take. */
const INTERVAL_SECONDS = 60;

const [servers = 1, channels = 1] = process.argv.slice(2).map(Number);
const urls: string[] = [];
for (let seed = 1; seed <= servers; seed++) {
  const size = { sensors: sensorsOf(channels), channels };
  const world = createWorld({ seed, size, startedAt: systemClock.now() });
  measureAlike(world, INTERVAL_SECONDS);
  const { url } = await startSimulator({
    world,
    clock: systemClock,
    spelling: "live",
    credentials: { apiKey: API_KEY, username: "bench", password: "password-of-the-bench" },
  });
  urls.push(url);
}
console.log(`ready on ${urls.join(" ")} .`);
