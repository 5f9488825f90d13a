import { chmodSync, cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const BIN = fileURLToPath(new URL("../../bin", import.meta.url));
export const PACKAGE = `node-${process.platform}-${process.arch}`;
/** No Node.js is that new, so that the one of the tests plays the old one. */
export const TOO_NEW = ">=999";

export interface LauncherFolder {
  /** Of `engines`. */
  readonly range: string;
  /** Version that the bundled package claims; it is the Node.js of the tests. None: there is no such package. */
  readonly bundled?: string;
  /** Folder with node_modules, relative to the launcher's own; hoisted packages are further up. */
  readonly packagesIn?: string;
  /** What runs. */
  readonly main: string;
  readonly mainFile?: "src/main.ts" | "dist/main.js";
}

/** An installed exporter with the real launcher and another program; gone with the test. Returns its folder. */
export function launcherFolder(given: LauncherFolder): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "launcher-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const folder = join(root, "above/exporter");
  cpSync(BIN, join(folder, "bin"), { recursive: true });
  const engines = { node: given.range };
  const manifest = { name: "prtg-exporter", type: "module", engines, optionalDependencies: { [PACKAGE]: "1.0.0" } };
  write(join(folder, "package.json"), JSON.stringify(manifest));
  write(join(folder, given.mainFile ?? "src/main.ts"), given.main);
  // What npm 9 and 10 leave there is not to be relied on, whatever it is.
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
