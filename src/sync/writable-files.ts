import { constants } from "node:fs";
import { mkdir, open, rm, rmdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { withinTime } from "../lib/bounded-files.ts";
import { closing, openNewFile, PRIVATE_DIRECTORY } from "../lib/durable-file.ts";
import { errorCode } from "../lib/error-code.ts";
import { auditFault } from "./audit-log.ts";
import { memoryFault, SYNC_FILE } from "./sync-memory.ts";

/*
 * Tests before the first round whether `sync` can write its files. Leaves nothing, also while another process runs: probes have names of
 * their own, and an existing audit log is only opened.
 */

/** @throws ExporterError SYNC_STATE_UNWRITABLE */
export async function testStateDirectory(directory: string): Promise<void> {
  try {
    await withinTime(directory, () => withDirectory(directory, () => probe(join(directory, SYNC_FILE))));
  } catch (cause) {
    throw memoryFault(cause);
  }
}

/**
 * @param directory `state_dir`, which `sync` creates, but no other folder.
 * @throws ExporterError SYNC_AUDIT_UNWRITABLE
 */
export async function testAuditLog(path: string, directory: string): Promise<void> {
  const test = () => testAppending(path);
  try {
    await withinTime(path, () => (isInside(path, directory) ? withDirectory(directory, test) : test()));
  } catch (cause) {
    throw auditFault(cause);
  }
}

export function isInside(path: string, directory: string): boolean {
  return dirname(resolve(path)) === resolve(directory);
}

async function testAppending(path: string): Promise<void> {
  try {
    await closing(open(path, constants.O_WRONLY | constants.O_APPEND | (constants.O_NONBLOCK ?? 0)), async () => {});
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
    // A new audit log could get a line of another process before it is removed.
    await probe(path);
  }
}

async function probe(path: string): Promise<void> {
  const beside = `${path}.check${process.pid}`;
  try {
    await closing(openNewFile(beside), async (file) => {
      await file.writeFile("{}\n");
      await file.sync();
    });
  } finally {
    await rm(beside, { force: true }).catch(() => undefined);
  }
}

async function withDirectory(directory: string, use: () => Promise<void>): Promise<void> {
  const path = resolve(directory);
  const first = await mkdir(path, { recursive: true, mode: PRIVATE_DIRECTORY });
  try {
    await use();
  } finally {
    // Fails as soon as another process uses one of them.
    if (first !== undefined) await removeEmpty(path, resolve(first)).catch(() => undefined);
  }
}

/** @param first The uppermost one that is removed. */
async function removeEmpty(directory: string, first: string): Promise<void> {
  for (let path = directory; path.length >= first.length; path = dirname(path)) await rmdir(path);
}
