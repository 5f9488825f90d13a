import { rename, rm, writeFile } from "node:fs/promises";
import type { Simulator } from "../simulator.ts";

/** Tells another program, such as a test, how to reach and end the service. Nobody reads half a file. */
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

export async function removeReadyFile(file: string | undefined): Promise<void> {
  if (file !== undefined) await rm(file, { force: true });
}
