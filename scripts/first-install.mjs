// Before anything is installed, on whatever Node the machine has: so that `npm run demo` is all that a fresh clone needs.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

// npm writes this file last: what was interrupted is installed again.
if (!existsSync("node_modules/.package-lock.json")) {
  process.stderr.write("Installing what the exporter needs to run, once. For development: npm ci\n");
  const { status } = spawnSync("npm", ["ci", "--omit=dev", "--no-audit", "--no-fund"], {
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  process.exitCode = status ?? 1;
}
