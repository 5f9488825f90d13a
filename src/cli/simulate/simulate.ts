import type { ScenarioRun } from "../../../packages/simulator/src/scenario/run.ts";
import { createContext } from "../../app/context.ts";
import type { Redactor } from "../../errors/redactor.ts";
import { stopSignal } from "../signals.ts";
import type { SimulateFlags } from "./flags.ts";
import { reportedServer } from "./from-report.ts";
import { startSimulatedServer } from "./simulated-server.ts";

/** A server to build against, with invented data in memory. Resolves with the exit code. */
export async function simulate(flags: SimulateFlags, redactor: Redactor): Promise<number> {
  const stopped = stopSignal();
  const context = await createContext(flags, redactor);
  const { host = "0.0.0.0", port } = flags.listenAddress;
  const { apiKey, username, password } = flags;
  const reported = flags.fromReport === undefined ? undefined : await reportedServer(flags.fromReport);
  const mode = { ...flags, reported };
  const simulator = await startSimulatedServer(flags, { host, port }, { apiKey, username, password }, mode);
  const { world, url } = simulator;
  context.print(
    `simulating ${world.list("sensor").length} sensors with ${world.channels().length} channels on ${url}/api/v2`,
  );
  if (flags.startAt !== undefined || flags.speed !== 1) {
    context.print(`simulated time: ${new Date(simulator.now()).toISOString()}, ${flags.speed} s a second`);
  }
  for (const story of simulator.scenarios.runs) context.print(timetable(story));
  if (simulator.classicUrl !== undefined) context.print(`the classic web server: ${simulator.classicUrl}`);
  if (flags.control) context.print(`control: curl -H 'Authorization: Bearer ${apiKey}' '${url}/simulator'`);
  context.print(`try: curl -H 'Authorization: Bearer ${apiKey}' '${url}/api/v2/experimental/sensors?limit=3'`);
  await stopped;
  await simulator.close();
  return 0;
}

/** The steps of a story, in UTC. */
export function timetable({ name, steps }: ScenarioRun): string {
  const lines = steps.map(({ at, text }) => `  ${new Date(at).toISOString().slice(0, 19)}Z  ${text}`);
  return [`playing: ${name}`, ...lines].join("\n");
}
