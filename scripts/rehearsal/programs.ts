import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { findProgram, type ProgramName } from "../../test/real/support/program-paths.ts";

const NAMES = [
  ...(["debian-bare", "debian-docker", "debian-tools", "docker-registry", "helm"] as const),
  ...(["node-24.21.0", "npm-11.6.2"] as const),
] satisfies ProgramName[];

export type Programs = Readonly<Record<(typeof NAMES)[number] | "verdaccio", string>>;

const VERDACCIO = fileURLToPath(
  new URL("../../tools/npm-registry/node_modules/verdaccio/bin/verdaccio", import.meta.url),
);

/** @throws Error with the names of those that are missing */
export function findPrograms(): Programs {
  const found = NAMES.map((name) => [name, findProgram(name)] as const);
  const missing: string[] = found.flatMap(([name, place]) => (place === undefined ? [name] : []));
  if (!existsSync(VERDACCIO)) missing.push("verdaccio");
  if (missing.length > 0) {
    throw new Error(`${missing.join(", ")} missing, install with scripts/install-test-programs.sh`);
  }
  return { ...Object.fromEntries(found), verdaccio: VERDACCIO } as Programs;
}
