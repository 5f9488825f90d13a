import { accessSync, constants } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";

/** As in scripts/install-test-programs.sh. */
function installedFolder(): string {
  const caches = process.env.XDG_CACHE_HOME || path.join(homedir(), ".cache");
  return path.join(process.env.PRTG_EXPORTER_TEST_CACHE || path.join(caches, "prtg-exporter-tests"), "bin");
}

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
