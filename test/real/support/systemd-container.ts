import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { startInBackground } from "./background-program.ts";
import { privileged, runPrivileged } from "./debian-root.ts";
import type { ProgramResult } from "./run-program.ts";

const BOOT_LIMIT_MS = 120_000;

/** A root that systemd booted as a machine, on this machine's network. */
export interface SystemdContainer {
  run(script: string): Promise<ProgramResult>;
  stop(): Promise<void>;
}

export async function bootRoot(nspawn: string, root: string): Promise<SystemdContainer> {
  // Works without systemd outside.
  const args = ["--boot", "--quiet", "--register=no", "--keep-unit", "--console=pipe", `--directory=${root}`];
  const [program, whole] = privileged([nspawn, ...args]);
  const outside = startInBackground(program, whole);
  const spaces = ["--mount", "--uts", "--ipc", "--pid", "--cgroup"];
  const deadline = Date.now() + BOOT_LIMIT_MS;
  for (;;) {
    outside.throwIfEnded();
    const first = firstProcess(outside.pid);
    const run = (script: string) =>
      runPrivileged(["nsenter", `--target=${first}`, ...spaces, "--root", "--wd=/", "sh", "-c", script]);
    if (first !== undefined) {
      const { stdout } = await run("systemctl is-system-running");
      // Degraded: some units, such as hardware ones, cannot work in a container.
      if (/^(running|degraded)$/m.test(stdout)) return { run, stop: () => halt(run, outside) };
    }
    if (Date.now() > deadline) throw new Error(`no system has started in ${root}: ${outside.log()}`);
    await sleep(200);
  }
}

async function halt(run: SystemdContainer["run"], outside: ReturnType<typeof startInBackground>): Promise<void> {
  await run("systemctl poweroff --force").catch(() => undefined);
  await outside.stop();
}

/** The descendant that is PID 1 of its namespace. */
function firstProcess(pid: number): number | undefined {
  try {
    if (/^NSpid:.*\t1$/m.test(readFileSync(`/proc/${pid}/status`, "utf8"))) return pid;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
    for (const child of children.filter((text) => text !== "")) {
      const found = firstProcess(Number(child));
      if (found !== undefined) return found;
    }
  } catch {
    // It ended meanwhile.
  }
  return undefined;
}
