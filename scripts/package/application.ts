import { cpSync, globSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type Build, lockedPackages, manifest, ROOT, run } from "./build.ts";
import { publishedManifest, shrinkwrap } from "./manifests.ts";

/** Half of what npm installs. Also what browsers need. */
const FOR_DEVELOPMENT =
  /^(\..*|tests?|__tests__|spec|benchmarks?|docs|examples?|flash)$|\.([cm]?ts|map|html|sh|min\.js)$/;

/** With exactly the tested dependencies. */
export function stageForNpm({ work }: Build): string {
  const folder = path.join(work, "npm");
  mkdirSync(folder);
  run(process.execPath, [`${ROOT}scripts/build.ts`, path.join(folder, "dist")], ROOT);
  for (const pattern of [...manifest.files.filter((each) => each !== "dist"), "CHANGELOG.md"]) {
    const names = globSync(pattern, { cwd: ROOT });
    if (names.length === 0) throw new Error(`nothing to package: ${pattern}`);
    for (const name of names) cpSync(path.join(ROOT, name), path.join(folder, name), { recursive: true });
  }
  write(path.join(folder, "package.json"), publishedManifest(manifest));
  write(path.join(folder, "npm-shrinkwrap.json"), shrinkwrap(manifest, lockedPackages()));
  return folder;
}

/** Adds dependencies. Archives contain Node.js. */
export function stageApplication({ work }: Build, published: string): string {
  const folder = path.join(work, "application");
  const modules = installDependencies(work);
  cpSync(published, folder, { recursive: true });
  for (const name of ["bin", "npm-shrinkwrap.json"]) rmSync(path.join(folder, name), { recursive: true });
  cpSync(modules, path.join(folder, "node_modules"), {
    recursive: true,
    filter: (source) => source === modules || !FOR_DEVELOPMENT.test(path.basename(source)),
  });
  refuseMachineCode(path.join(folder, "node_modules"));
  return folder;
}

function installDependencies(work: string): string {
  const folder = path.join(work, "dependencies");
  mkdirSync(folder);
  for (const name of ["package.json", "package-lock.json", ".npmrc"]) cpSync(`${ROOT}${name}`, path.join(folder, name));
  run("npm", ["ci", "--omit=dev", "--omit=optional", "--ignore-scripts", "--no-audit", "--no-fund"], folder, {
    npm_config_prefer_offline: "true",
  });
  return path.join(folder, "node_modules");
}

/** One tree serves all platforms. */
function refuseMachineCode(folder: string): void {
  const found = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    /\.(node|so|dll)$/.test(name),
  );
  if (found.length > 0) throw new Error(`dependencies with machine code: ${found.join(", ")}`);
}

function write(file: string, value: unknown): void {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}
