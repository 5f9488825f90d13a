import { writeFileSync } from "node:fs";
import path from "node:path";
import type { Simulator } from "prtg-simulator/src/simulator.ts";
import { type PublishedOperation, readContract } from "./published-contract.ts";
import { runProgram } from "./run-program.ts";
import { configuration } from "./schemathesis-config.ts";

const HOOKS = "test/real/support/schemathesis_hooks.py";
const PHASES = "coverage,fuzzing";

interface Attack {
  readonly simulator: Simulator;
  readonly program: string;
  /** Of a session: a key would be in the key list and get deleted. */
  readonly token: string;
  readonly systematic: ReadonlySet<string>;
  /** Random cases per operation. */
  readonly examples: number;
  readonly seed: number;
  readonly limitMs: number;
  readonly options: readonly string[];
  /** Working folder, must exist. */
  readonly folder: string;
}

export interface Outcome {
  /** 0: all answers follow the contract. */
  readonly code: number | null;
  readonly report: string;
  /** Generated and judged requests. */
  readonly cases: number;
  readonly offered: readonly PublishedOperation[];
  /** Operations with at least one success. */
  readonly worked: readonly PublishedOperation[];
}

/** From the served contract, valid and invalid. */
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
      // The default of 10 s is too short for years of measurements.
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
