import { accessSync, constants, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

const IN_MEMORY = "/dev/shm";

type Files = Readonly<Record<string, string | Buffer>>;

/** Files by relative path. Removed after the test. */
export function temporaryFolder(files: Files): string {
  return folderIn(tmpdir(), files);
}

/**
 * Like `temporaryFolder`, in memory if the system has such a place. A flush to a disk takes milliseconds, and some tests cause hundreds.
 * The place may be small, and it may forbid to run files.
 */
export function memoryFolder(files: Files): string {
  return folderIn(isWritable(IN_MEMORY) ? IN_MEMORY : tmpdir(), files);
}

function folderIn(parent: string, files: Files): string {
  const folder = mkdtempSync(join(parent, "prtg-exporter-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
