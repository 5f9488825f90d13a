import { execFile } from "node:child_process";
import { access, readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { contractHash, TYPES_FILE, withHeader } from "./generate/api-types.ts";

const USAGE = `Usage: node scripts/api-types.ts [--check]

Writes the TypeScript types of packages/simulator/api/openapi.yaml. With --check it writes nothing and exits with 1 if they differ. The
generator needs an older TypeScript and has an install of its own, tools/api-types, which is made when it is missing.
`;

const ROOT = new URL("../", import.meta.url);
const TOOL = fileURLToPath(new URL("tools/api-types/", ROOT));
const run = promisify(execFile);

async function generate(): Promise<string> {
  const installed = await access(`${TOOL}node_modules`).then(
    () => true,
    () => false,
  );
  if (!installed) await run("npm", ["ci", "--no-audit", "--no-fund"], { cwd: TOOL });
  const generator = `${TOOL}node_modules/openapi-typescript/bin/cli.js`;
  const contract = fileURLToPath(new URL("packages/simulator/api/openapi.yaml", ROOT));
  const { stdout } = await run(process.execPath, [generator, contract], { cwd: TOOL, maxBuffer: 16 * 1024 * 1024 });
  return withHeader(stdout, contractHash(await readFile(contract, "utf8")));
}

const { values } = parseArgs({ options: { check: { type: "boolean" }, help: { type: "boolean" } } });
const target = new URL(TYPES_FILE, ROOT);
if (values.help) {
  process.stdout.write(USAGE);
} else {
  const types = await generate();
  const current = await readFile(target, "utf8").catch(() => undefined);
  if (types === current) {
    process.stdout.write(`${TYPES_FILE} is up to date\n`);
  } else if (values.check) {
    process.stderr.write(`${TYPES_FILE} is out of date: run npm run api\n`);
    process.exitCode = 1;
  } else {
    await writeFile(target, types);
    process.stdout.write(`wrote ${TYPES_FILE}\n`);
  }
}
