/** HTTPS, which the command lacks. Reads key.pem and cert.pem from a folder. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { startSimulator } from "../../packages/simulator/src/simulator.ts";
import { createWorld } from "../../packages/simulator/src/world/world.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { API_KEY } from "../processes/simulator.ts";

const [folder = "", sensors, channels] = process.argv.slice(2);
const pem = (name: string) => readFileSync(path.join(folder, name), "utf8");
const { url } = await startSimulator({
  world: createWorld({
    seed: 1,
    size: { sensors: Number(sensors), channels: Number(channels) },
    startedAt: systemClock.now(),
  }),
  clock: systemClock,
  tls: { key: pem("key.pem"), cert: pem("cert.pem") },
  spelling: "live",
  credentials: { apiKey: API_KEY, username: "bench", password: "password-of-the-bench" },
  control: true,
});
console.log(`ready on ${url.replace("127.0.0.1", "localhost")}`);
