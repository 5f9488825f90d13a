import path from "node:path";
import { fileURLToPath } from "node:url";
import { runProgram } from "../../test/real/support/run-program.ts";

/** docker, helm, npm, cosign and gh of the rehearsal. */
export const STAND_INS = fileURLToPath(new URL("stand-ins", import.meta.url));
const LIMIT_MS = 1_800_000;
/** Also what `npm run` sets for its scripts. */
const OF_THE_CALLER = /^(PRTG_|GITHUB_|INIT_CWD$|NODE$|npm_(?!config_)|npm_config_(local_)?prefix$)/;

export type Environment = Readonly<Record<string, string>>;

/** As GitHub runs a script with `shell: bash`. @returns standard output. @throws Error with all output if it fails */
export async function runScript(script: string, cwd: string, env: Environment): Promise<string> {
  const args = ["--noprofile", "--norc", "-eo", "pipefail", "-c", `cd "$0" && { ${script}\n}`, cwd];
  const { code, stdout, stderr } = await runProgram("bash", args, "", LIMIT_MS, env);
  if (code !== 0) throw new Error(`${script.trim()}\nended with ${code}:\n${stdout}${stderr}`);
  return stdout;
}

/** Stand-ins first, then the pinned Node.js. */
export function environment(own: NodeJS.ProcessEnv, nodeFolder: string, further: Environment): Record<string, string> {
  const kept = Object.entries(own).flatMap(([name, value]) =>
    value === undefined || OF_THE_CALLER.test(name) ? [] : [[name, value] as const],
  );
  const folders = [STAND_INS, nodeFolder, own.PATH ?? ""];
  return { ...Object.fromEntries(kept), PATH: folders.join(path.delimiter), ...further };
}
