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
  return folders.map((folder) => path.join(folder, name)).find((file) => isAllowed(file, constants.X_OK));
}

export function isThere(file: string): boolean {
  return isAllowed(file, constants.R_OK);
}

function isAllowed(file: string, mode: number): boolean {
  try {
    accessSync(file, mode);
    return true;
  } catch {
    return false;
  }
}
