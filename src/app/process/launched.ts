/** How often the exporter looks whether its launcher is still there. */
export const LAUNCHER_CHECK_MS = 1_000;

/** What is looked at, and what is done; the process itself, outside of tests. */
export interface LaunchedProcess {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  readonly pid: number;
  readonly ppid: number;
  /** As process.kill: signal 0 only asks whether there is such a process, and throws when there is none. */
  kill(pid: number, signal: 0 | "SIGTERM"): void;
}

/** As setInterval. */
export type Every = (tick: () => void, ms: number) => { unref(): void };

/**
 * On an old Node.js the launcher stays as the parent process (bin/launch.js) and passes signals on. It cannot pass on
 * SIGKILL, and an exporter that outlives it would hold its port: so the exporter stops when its launcher is gone.
 */
export function stopWithLauncher(self: LaunchedProcess = process, every: Every = setInterval): void {
  const launcher = Number(self.env.PRTG_EXPORTER_LAUNCHER);
  // Programs that an exporter starts inherit the variable, and have another parent.
  if (self.ppid !== launcher) return;
  let isStopping = false;
  every(() => {
    // A second SIGTERM would not wait for what the first one started.
    if (isStopping || !isGone(self, launcher)) return;
    isStopping = true;
    self.kill(self.pid, "SIGTERM");
  }, LAUNCHER_CHECK_MS).unref();
}

/** Windows goes on naming a parent that is gone. */
function isGone(self: LaunchedProcess, launcher: number): boolean {
  if (self.platform !== "win32") return self.ppid !== launcher;
  try {
    self.kill(launcher, 0);
    return false;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ESRCH";
  }
}
