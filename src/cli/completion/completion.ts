import type { Command } from "commander";
import { bashCompletion } from "./bash.ts";
import { fishCompletion } from "./fish.ts";
import { zshCompletion } from "./zsh.ts";

/** Writes the script of a shell from the commands and flags of the program. */
const SCRIPTS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const;
export type Shell = keyof typeof SCRIPTS;

export function completionScript(shell: Shell, program: Command): string {
  return SCRIPTS[shell](program);
}
