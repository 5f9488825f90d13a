import { readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { z } from "zod";
import type { Simulator } from "../simulator.ts";

/** How another program, such as a test, reaches and ends the service. Written in one step. */
export async function writeReadyFile(file: string, simulator: Simulator, host: string): Promise<void> {
  const { url, port, classicUrl, fingerprint = null } = simulator;
  const address = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  // JSON omits the address of a classic web server that does not run.
  const facts = { url, address, port, pid: process.pid, fingerprint, classic_url: classicUrl };
  const draft = `${file}.${process.pid}.tmp`;
  try {
    await writeFile(draft, `${JSON.stringify(facts, undefined, 2)}\n`);
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** Removes the file of an earlier run. @throws Error for a file that is none */
export async function removeOldReadyFile(file: string): Promise<void> {
  const pid = await pidIn(file);
  if (pid !== undefined) await rm(file, { force: true });
}

/** At the end. Another run may have written its own since. */
export async function removeReadyFile(file: string | undefined): Promise<void> {
  if (file === undefined) return;
  const pid = await pidIn(file).catch(() => undefined);
  if (pid === process.pid) await rm(file, { force: true });
}

/** `undefined`: there is no file. @throws Error for a file that is no ready file */
async function pidIn(file: string): Promise<number | undefined> {
  let text: string;
  try {
    if (!(await stat(file)).isFile()) throw new Error("it is not a regular file");
    text = await readFile(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
  const { pid } = z.object({ pid: z.int() }).parse(JSON.parse(text));
  return pid;
}
