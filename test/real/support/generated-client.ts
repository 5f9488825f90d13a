import { writeFileSync } from "node:fs";
import path from "node:path";
import type { SpellingName } from "prtg-simulator/src/release/release.ts";
import type { Simulator } from "prtg-simulator/src/simulator.ts";
import { TEST_KEY } from "../../support/simulated-exporter.ts";
import { runProgram } from "./run-program.ts";

export const GENERATORS = ["openapi-python-client", "openapi-generator"] as const;
export type GeneratorName = (typeof GENERATORS)[number];

export interface Generation {
  readonly generator: GeneratorName;
  /** With both generators, and all that their clients need. */
  readonly python: string;
  /** Must exist. The client is the package `prtg_client` in it. */
  readonly folder: string;
}

const SUPPORT = path.resolve("test/real/support");
const PACKAGE = "prtg_client";

/** Arguments for Python. */
const COMMANDS: Readonly<Record<GeneratorName, (document: string, folder: string) => readonly string[]>> = {
  "openapi-python-client": (document, folder) => [
    ...["-m", "openapi_python_client", "generate", "--path", document, "--fail-on-warning"],
    ...["--meta", "none", "--output-path", path.join(folder, PACKAGE), "--config", withoutHooks(folder)],
  ],
  "openapi-generator": (document, folder) => [
    ...[path.join(SUPPORT, "run_openapi_generator.py"), "generate", "-g", "python", "-i", document, "-o", folder],
    ...["--package-name", PACKAGE],
    ...[
      "--global-property",
      "apis,models,supportingFiles,apiDocs=false,modelDocs=false,apiTests=false,modelTests=false",
    ],
  ],
};

/** Hooks format the code, which takes longer than to generate it. */
function withoutHooks(folder: string): string {
  const file = path.join(folder, "config.json");
  writeFileSync(file, JSON.stringify({ post_hooks: [] }));
  return file;
}

/** Generates a client from the document that the simulator serves for generators. */
export async function generateClient(simulator: Simulator, { generator, python, folder }: Generation): Promise<void> {
  const headers = { Authorization: `Bearer ${TEST_KEY}` };
  const answer = await fetch(`${simulator.url}/simulator/contract?for=generators`, { headers });
  const document = path.join(folder, "openapi.json");
  writeFileSync(document, await answer.text());
  const { code, stdout, stderr } = await runProgram(python, COMMANDS[generator](document, folder), "", 300_000);
  if (code !== 0) throw new Error(`${generator} ended with code ${code}: ${stdout}${stderr}`);
}

/** Imports all of the client. Names are in snake case and sorted. */
export async function operationsOfClient(generation: Generation): Promise<readonly string[]> {
  return JSON.parse(await runWithClient(generation, "generated_client.py")) as readonly string[];
}

/** Makes calls with the client, for older releases without changes of objects. Rejects if one fails. */
export async function callWithClient(
  generation: Generation,
  { url }: Simulator,
  spelling: SpellingName,
  release: "newest" | "older",
): Promise<void> {
  await runWithClient(generation, "generated_client_calls.py", spelling, release, `${url}/api/v2`, TEST_KEY);
}

async function runWithClient(
  { generator, python, folder }: Generation,
  script: string,
  ...args: readonly string[]
): Promise<string> {
  const env = { ...process.env, PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: "1" };
  const command = [path.join(SUPPORT, script), generator, ...args];
  const { code, stdout, stderr } = await runProgram(python, command, "", 300_000, env);
  if (code !== 0) throw new Error(`the client of ${generator} failed: ${stderr}`);
  return stdout;
}
