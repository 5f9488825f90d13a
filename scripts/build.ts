/** npm run build: compiles src to dist, on any system. */
import { spawnSync } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** What the compiler does not take along. */
const ASSETS = "http/status-page/assets";

rmSync(`${ROOT}dist`, { recursive: true, force: true });
const compiler = [`${ROOT}node_modules/typescript/bin/tsc`, "-p", `${ROOT}tsconfig.build.json`];
const { status } = spawnSync(process.execPath, compiler, { stdio: "inherit" });
if (status === 0) cpSync(`${ROOT}src/${ASSETS}`, `${ROOT}dist/${ASSETS}`, { recursive: true });
process.exitCode = status ?? 1;
