import { chmodSync, cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const BIN = fileURLToPath(new URL("../../bin", import.meta.url));
export const PACKAGE = `node-${process.platform}-${process.arch}`;
/** The test's own Node.js plays an old one. */
export const TOO_NEW = ">=999";

interface LauncherFolder {
  /** From `engines`. */
  readonly range: string;
  /** Claimed version, really the test's Node.js. */
  readonly bundled?: string;
  /** Relative to the launcher's. Hoisted packages are further up. */
  readonly packagesIn?: string;
  /** How the manifest names the package. */
  readonly dependency?: "optionalDependencies" | "peerDependencies";
  readonly main: string;
  readonly mainFile?: "src/main.ts" | "dist/main.js";
}

/** The real launcher with another program. */
export function launcherFolder(given: LauncherFolder): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "launcher-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const folder = join(root, "above/exporter");
  cpSync(BIN, join(folder, "bin"), { recursive: true });
  const engines = { node: given.range };
  const dependencies = { [given.dependency ?? "optionalDependencies"]: { [PACKAGE]: ">=24" } };
  const manifest = { name: "prtg-exporter", type: "module", engines, ...dependencies };
  write(join(folder, "package.json"), JSON.stringify(manifest));
  write(join(folder, given.mainFile ?? "src/main.ts"), given.main);
  // The launcher must not rely on what npm 9 and 10 leave there.
  write(join(folder, "node_modules/.bin/node"), "#!/bin/sh\necho by .bin\n");
  chmodSync(join(folder, "node_modules/.bin/node"), 0o755);
  if (given.bundled !== undefined) {
    const place = join(folder, given.packagesIn ?? ".", "node_modules", PACKAGE);
    write(join(place, "package.json"), JSON.stringify({ name: PACKAGE, version: given.bundled }));
    mkdirSync(join(place, "bin"));
    symlinkSync(process.execPath, join(place, "bin", process.platform === "win32" ? "node.exe" : "node"));
  }
  return folder;
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
