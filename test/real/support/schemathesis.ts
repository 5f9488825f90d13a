import { writeFileSync } from "node:fs";
import path from "node:path";
import type { Simulator } from "../../../packages/simulator/src/simulator.ts";
import { type PublishedOperation, readContract } from "./published-contract.ts";
import { runProgram } from "./run-program.ts";
import { configuration } from "./schemathesis-config.ts";

const HOOKS = "test/real/support/schemathesis_hooks.py";
const PHASES = "coverage,fuzzing";

export interface Attack {
  readonly simulator: Simulator;
  readonly program: string;
  /** Of a session: an API key would be found in the list of keys, and deleted. */
  readonly token: string;
  readonly systematic: ReadonlySet<string>;
  /** Random cases per operation. */
  readonly examples: number;
  readonly seed: number;
  readonly limitMs: number;
  /** Beside those of every run. */
  readonly options: readonly string[];
  /** For what this run needs; must exist. */
  readonly folder: string;
}

export interface Outcome {
  /** 0 where every answer was by the contract. */
  readonly code: number | null;
  /** What was printed. */
  readonly report: string;
  /** How many requests the program generated and judged. */
  readonly cases: number;
  /** Operations that exist there. */
  readonly offered: readonly PublishedOperation[];
  /** Those of them that did something at least once. */
  readonly worked: readonly PublishedOperation[];
}

/** Sends requests made from the contract that the simulator serves, right and wrong ones, and judges the answers. */
export async function attack(given: Attack): Promise<Outcome> {
  const { simulator, program, token, systematic, examples, seed, folder, limitMs, options } = given;
  const contract = await readContract(simulator);
  const [document, config] = [path.join(folder, "openapi.json"), path.join(folder, "schemathesis.toml")];
  writeFileSync(document, contract.text);
  writeFileSync(config, await configuration(simulator, contract, systematic));
  const { code, stdout, stderr } = await runProgram(
    program,
    [
      ...["--config-file", config, "run", document],
      ...["--url", `${simulator.url}/api/v2`],
      ...["--header", `Authorization: Bearer ${token}`],
      ...["--phases", PHASES, "--max-examples", String(examples), "--seed", String(seed)],
      // Its own 10 s are too few for years of measurements on a busy machine.
      ...["--generation-database", ":memory:", "--no-color", "--request-timeout", "60"],
      ...options,
    ],
    "",
    limitMs,
    { ...process.env, SCHEMATHESIS_HOOKS: path.resolve(HOOKS) },
  );
  const cases = Number(/Test cases:\s*([\d,]+)/.exec(stdout)?.[1]?.replaceAll(",", "") ?? 0);
  const answered = simulator.requests.counts().filter(({ status = 500 }) => status < 300);
  const worked = contract.operations.filter((one) =>
    answered.some(({ method, route }) => method === one.method && route === one.path),
  );
  return { code, report: stdout + stderr, cases, offered: contract.operations, worked };
}
