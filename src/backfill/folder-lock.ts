import { readFile, rm, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { ExporterError } from "../errors/exporter-error.ts";

/**
 * Keeps a second process out of a folder. A lock whose owner has ended, or is on another machine (as those of containers
 * that are gone), is taken over: it is there against two terminals, not against every accident.
 * Resolves with the function that gives it back.
 * @throws ExporterError BACKFILL_BUSY
 */
export async function lockFolder(folder: string, path: string): Promise<() => Promise<void>> {
  const own = JSON.stringify({ pid: process.pid, host: hostname() });
  for (let attempt = 1; ; attempt++) {
    try {
      await writeFile(path, own, { flag: "wx" });
      return () => rm(path, { force: true });
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST") || attempt === 3) throw error;
    }
    const pid = owner(await readFile(path, "utf8").catch(() => ""));
    if (pid !== undefined && pid !== process.pid && isRunning(pid)) {
      throw new ExporterError("BACKFILL_BUSY", `process ${pid} is writing to ${folder}`, {
        remedy: `Wait for it or end it; if it is something else, delete ${path}.`,
      });
    }
    await rm(path, { force: true });
  }
}

/** Process of this machine that holds a lock. */
function owner(text: string): number | undefined {
  const [, pid, host] = /^\{"pid":(\d+),"host":"(.*)"\}$/.exec(text) ?? [];
  return host === hostname() ? Number(pid) : undefined;
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
