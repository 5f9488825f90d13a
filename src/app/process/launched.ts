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

/**
 * With an old Node.js the launcher (bin/launch.js) stays as the parent process and forwards signals, but not SIGKILL. An exporter
 * without its launcher stops, because it would hold the port.
 */
export function stopWithLauncher(self: LaunchedProcess = process, every: Every = setInterval): void {
  const launcher = Number(self.env.PRTG_EXPORTER_LAUNCHER);
  // Child processes inherit the variable, and have another parent.
  if (self.ppid !== launcher) return;
  let isStopping = false;
  every(() => {
    // A second SIGTERM would end the process at once.
    if (isStopping || !isGone(self, launcher)) return;
    isStopping = true;
    self.kill(self.pid, "SIGTERM");
  }, LAUNCHER_CHECK_MS).unref();
}

/** Windows keeps the id of a parent that has ended. */
function isGone(self: LaunchedProcess, launcher: number): boolean {
  if (self.platform !== "win32") return self.ppid !== launcher;
  try {
    self.kill(launcher, 0);
    return false;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ESRCH";
  }
}
