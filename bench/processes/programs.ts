import { accessSync, constants } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";

/** Where scripts/install-test-programs.sh puts what it installs; it computes the same folder. */
function installedFolder(): string {
  const caches = process.env.XDG_CACHE_HOME || path.join(homedir(), ".cache");
  return path.join(process.env.PRTG_EXPORTER_TEST_CACHE || path.join(caches, "prtg-exporter-tests"), "bin");
}

/** Path of a program: an installed one, else the system's own; undefined where there is neither. */
export function findProgram(name: string): string | undefined {
  const system = (process.env.PATH ?? "").split(path.delimiter);
  const folders = [installedFolder(), ...system, "/usr/sbin", "/usr/local/sbin"];
  return folders.map((folder) => path.join(folder, name)).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
