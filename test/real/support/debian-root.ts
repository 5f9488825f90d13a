import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import path from "node:path";
import { type ProgramResult, runProgram } from "./run-program.ts";

/** As root, directly or with sudo. */
export function privileged(command: readonly string[]): [string, string[]] {
  const [program = "", ...args] = process.getuid?.() === 0 ? command : ["sudo", "-n", ...command];
  return [program, args];
}

export async function runPrivileged(command: readonly string[], limitMs = 240_000): Promise<ProgramResult> {
  return runProgram(...privileged(command), "", limitMs);
}

/** The caller removes it. */
export async function copyRoot(root: string): Promise<string> {
  const copy = path.join(tmpdir(), `prtg-exporter-root-${randomUUID()}`);
  const { code, stderr } = await runPrivileged(["cp", "--archive", `${root}/.`, copy]);
  if (code !== 0) throw new Error(stderr);
  return copy;
}

export async function removeRoot(copy: string | undefined): Promise<void> {
  if (copy !== undefined) await runPrivileged(["rm", "-rf", "--one-file-system", copy]);
}

/**
 * As root, with /proc and /dev. All processes end with it.
 * @param binds visible folders of this machine
 */
export function runInRoot(
  root: string,
  script: string,
  binds: Readonly<Record<string, string>> = {},
  limitMs = 240_000,
): Promise<ProgramResult> {
  const mounts = [
    `mount -t proc proc '${root}/proc'`,
    `mount --rbind /dev '${root}/dev'`,
    ...Object.entries(binds).map(
      ([outside, inside]) => `mkdir -p '${root}${inside}' && mount --bind '${outside}' '${root}${inside}'`,
    ),
  ];
  const env = ["PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "LANG=C.UTF-8", "DEBIAN_FRONTEND=noninteractive"];
  const inside = `${mounts.join(" && ")} && exec env --ignore-environment ${env.join(" ")} chroot '${root}' sh -c "$0"`;
  const spaces = ["unshare", "--mount", "--pid", "--fork", "--kill-child"];
  return runPrivileged([...spaces, "sh", "-c", inside, script], limitMs);
}
