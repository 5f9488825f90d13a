/** node bin/node.js scripts/package/simulator.ts [--out FOLDER]: builds prtg-simulator and packs it for npm. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { lockedPackages, ROOT, run } from "./build.ts";
import { type Dependencies, neededBy, publishedManifest, shrinkwrap } from "./manifests.ts";

const FOLDER = path.join(ROOT, "packages/simulator");
const LOCK = "npm-shrinkwrap.json";

const { values } = parseArgs({ options: { out: { type: "string", default: path.join(ROOT, "artefacts") } } });
const out = path.resolve(values.out);
mkdirSync(out, { recursive: true });
const work = mkdtempSync(path.join(tmpdir(), "prtg-simulator-package-"));
try {
  stage(work);
  run("npm", ["pack", "--ignore-scripts", `--pack-destination=${out}`], work);
} finally {
  rmSync(work, { recursive: true, force: true });
}

/** The package has its own manifest. A change of the one in the clone would break imports of tests that run meanwhile. */
function stage(folder: string): void {
  const manifest = JSON.parse(readFileSync(path.join(FOLDER, "package.json"), "utf8")) as Dependencies & {
    readonly files: readonly string[];
  };
  run(process.execPath, [path.join(ROOT, "scripts/build.ts"), "--simulator"], ROOT);
  for (const name of ["README.md", ...manifest.files.filter((each) => each !== LOCK)]) {
    cpSync(path.join(FOLDER, name), path.join(folder, name), { recursive: true });
  }
  write(path.join(folder, "package.json"), publishedManifest({ ...manifest }, []));
  write(path.join(folder, LOCK), lockOf(manifest));
}

function lockOf(manifest: Dependencies): object {
  const locked = lockedPackages();
  const { license, bin, engines, peerDependencies, peerDependenciesMeta } = { ...locked["packages/simulator"] };
  const own = { license, bin, engines, peerDependencies, peerDependenciesMeta };
  return shrinkwrap(manifest, { "": own, ...neededBy(manifest, locked) });
}

function write(file: string, value: unknown): void {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}
