import { readFileSync } from "node:fs";

export const LAUNCHER_CHECK_MS = 1_000;

/** The process, or a fake of it. */
export interface LaunchedProcess {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  readonly pid: number;
  readonly ppid: number;
  /** Works as process.kill: signal 0 throws if there is no such process. */
  kill(pid: number, signal: 0 | "SIGTERM"): void;
}

/** Works as setInterval. */
export type Every = (tick: () => void, ms: number) => { unref(): void };

export interface ProcessFacts {
  /** Of the program, at most 15 characters. */
  readonly name: string;
  readonly parent: number;
}

/** `undefined` if there is no such process, or the operating system does not say. */
export type FindProcess = (pid: number) => ProcessFacts | undefined;

/** A process must not outlive its launcher. */
interface Bond {
  readonly child: number;
  readonly parent: number;
}

/**
 * Ends the process by SIGTERM when a process that launched it ends. Otherwise it would hold its port. Launchers are:
 *
 * - bin/launch.js on an old Node.js, which stays as the parent process and forwards signals, but not SIGKILL
 * - npx, which signals only its shell, and that shell
 */
export function stopWithLauncher(
  self: LaunchedProcess = process,
  every: Every = setInterval,
  find: FindProcess = findProcess,
): void {
  const bonds = bondsOf(self, find);
  if (bonds.length === 0) return;
  let isStopping = false;
  every(() => {
    // A second SIGTERM would end the process at once.
    if (isStopping || bonds.every((bond) => holds(bond, self, find))) return;
    isStopping = true;
    self.kill(self.pid, "SIGTERM");
  }, LAUNCHER_CHECK_MS).unref();
}

function bondsOf(self: LaunchedProcess, find: FindProcess): readonly Bond[] {
  const bonds: Bond[] = [];
  let child = self.pid;
  let parent: number | undefined = self.ppid;
  const add = (): void => {
    if (parent === undefined) return;
    bonds.push({ child, parent });
    child = parent;
    parent = find(parent)?.parent;
  };
  // Child processes inherit the variable, and have another parent.
  if (parent === Number(self.env.PRTG_EXPORTER_LAUNCHER)) add();
  if (!isRunByNpx(self)) return bonds;
  const isShell = parent !== undefined && SHELLS.includes(find(parent)?.name ?? "");
  add();
  if (isShell) add();
  return bonds;
}

/** Some shells do not become the only program that they start. */
const SHELLS: readonly string[] = ["sh", "ash", "bash", "busybox", "dash", "ksh", "zsh"];

function isRunByNpx({ env }: LaunchedProcess): boolean {
  return env.npm_lifecycle_event === "npx" && /\bprtg-(?:exporter|simulator)\b/.test(env.npm_lifecycle_script ?? "");
}

function holds({ child, parent }: Bond, self: LaunchedProcess, find: FindProcess): boolean {
  if (child !== self.pid) return find(child)?.parent === parent;
  if (self.platform !== "win32") return self.ppid === parent;
  // Windows keeps the id of a parent that has ended.
  try {
    self.kill(parent, 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}

/** On Linux. Shells of other systems become the program. */
function findProcess(pid: number): ProcessFacts | undefined {
  try {
    const [, name = "", parent] = /\((.*)\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
    return parent === undefined ? undefined : { name, parent: Number(parent) };
  } catch {
    return undefined;
  }
}
