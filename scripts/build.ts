/** npm run build [-- FOLDER]: compiles src to dist, or to a folder for a package, on any system. */
import { spawnSync } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** What the compiler does not take along. */
const ASSETS = "http/pages/status/assets";

const [folder = `${ROOT}dist`] = process.argv.slice(2);

rmSync(folder, { recursive: true, force: true });
// A package has no sources that maps could lead to.
const maps = process.argv.length === 2 ? [] : ["--sourceMap", "false"];
const compiler = [`${ROOT}node_modules/typescript/bin/tsc`, "-p", `${ROOT}tsconfig.build.json`];
const { status } = spawnSync(process.execPath, [...compiler, "--outDir", folder, ...maps], { stdio: "inherit" });
if (status === 0) cpSync(`${ROOT}src/${ASSETS}`, `${folder}/${ASSETS}`, { recursive: true });
process.exitCode = status ?? 1;
