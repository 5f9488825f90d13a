import { readFileSync } from "node:fs";

export const LAUNCHER_CHECK_MS = 1_000;

/** The process, or a fake of it. */
export interface LaunchedProcess {
  readonly env: Record<string, string | undefined>;
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

/** `gone`: there is no such process. `unknown`: the operating system does not say. */
export type FindProcess = (pid: number) => ProcessFacts | "gone" | "unknown";

/** A process must not outlive its launcher. */
interface Bond {
  readonly child: number;
  readonly parent: number;
}

/** The parent of processes whose own parent has ended. */
const FIRST = 1;
/** The parent of a bond that is broken from the beginning. */
const ENDED = -1;

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
  const launcher = takeLauncher(self);
  // The launcher may have ended before this process could look.
  let next: number | undefined = launcher ?? self.ppid;
  let child = self.pid;
  const add = (parent: number): void => {
    bonds.push({ child, parent });
    child = parent;
    const facts = find(parent);
    next = typeof facts === "string" ? undefined : facts.parent;
  };
  if (launcher !== undefined) add(launcher);
  if (!isRunByNpx(self)) return bonds;
  if (next !== undefined && isShell(next, find)) add(next);
  if (next !== undefined) add(isOrphan(next, find) ? ENDED : next);
  return bonds;
}

/** The id of the launcher, also if it has ended already. Processes that this one starts do not inherit it. */
function takeLauncher(self: LaunchedProcess): number | undefined {
  const { PRTG_EXPORTER_LAUNCHER: text } = self.env;
  delete self.env.PRTG_EXPORTER_LAUNCHER;
  if (text === undefined) return undefined;
  const launcher = Number(text);
  // A living process that is not the parent launched another program, such as one that runs tests.
  return self.ppid !== launcher && exists(launcher, self) ? undefined : launcher;
}

/** Some shells do not become the only program that they start. */
const SHELLS: readonly string[] = ["sh", "ash", "bash", "busybox", "dash", "ksh", "zsh"];

/** Whether the process is the shell of npx. */
function isShell(pid: number, find: FindProcess): boolean {
  const facts = find(pid);
  return pid !== FIRST && typeof facts === "object" && SHELLS.includes(facts.name);
}

/** Whether the process stands where npx was. npx itself can be the first process of a container. */
function isOrphan(pid: number, find: FindProcess): boolean {
  const facts = find(pid);
  return pid === FIRST && typeof facts === "object" && !/^(?:node|npm|npx)/.test(facts.name);
}

/** Versions of npm quote it in two ways, or not. */
const NPX_SCRIPT = /^(["']?)prtg-(?:exporter|simulator)\1$/;

/** Other command lines of `npx --call` may leave the program behind on purpose. */
function isRunByNpx({ env }: LaunchedProcess): boolean {
  return env.npm_lifecycle_event === "npx" && NPX_SCRIPT.test(env.npm_lifecycle_script ?? "");
}

function holds({ child, parent }: Bond, self: LaunchedProcess, find: FindProcess): boolean {
  if (child !== self.pid) {
    const facts = find(child);
    return facts === "unknown" || (facts !== "gone" && facts.parent === parent);
  }
  if (self.platform !== "win32") return self.ppid === parent;
  // Windows keeps the id of a parent that has ended.
  return exists(parent, self);
}

function exists(pid: number, self: LaunchedProcess): boolean {
  try {
    self.kill(pid, 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}

/** On Linux. Shells of other systems become the program. */
function findProcess(pid: number): ProcessFacts | "gone" | "unknown" {
  if (process.platform !== "linux") return "unknown";
  try {
    const [, name, parent] = /\((.*)\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
    return name === undefined ? "unknown" : { name, parent: Number(parent) };
  } catch (error) {
    // Not if files cannot be opened for a moment.
    const isGone = error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ESRCH");
    return isGone ? "gone" : "unknown";
  }
}
