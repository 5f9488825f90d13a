import { execFile } from "node:child_process";
import { access, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { DASHBOARDS_FOLDER, dashboardFiles } from "./generate/dashboards.ts";

const USAGE = `Usage: node scripts/dashboards.ts [--check]

Writes the dashboards for Grafana. With --check it writes nothing and exits with 1 if they differ. Their source and the
SDK that it needs have an install of their own, dashboards/, which is made when it is missing.
`;

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const TOOL = `${ROOT}dashboards/`;
const run = promisify(execFile);

async function generate(): Promise<ReadonlyMap<string, string>> {
  const installed = await access(`${TOOL}node_modules`).then(
    () => true,
    () => false,
  );
  if (!installed) await run("npm", ["ci", "--no-audit", "--no-fund"], { cwd: TOOL });
  await run(process.execPath, [`${ROOT}node_modules/typescript/bin/tsc`, "-p", TOOL]);
  const { stdout } = await run(process.execPath, [`${TOOL}src/main.ts`], { maxBuffer: 16 * 1024 * 1024 });
  return dashboardFiles(stdout);
}

const { values } = parseArgs({ options: { check: { type: "boolean" }, help: { type: "boolean" } } });
if (values.help) {
  process.stdout.write(USAGE);
} else {
  const folder = `${ROOT}${DASHBOARDS_FOLDER}`;
  const files = await generate();
  const present = await readdir(folder).catch(() => []);
  const extra = present.filter((name) => !files.has(name));
  const changed: string[] = [];
  for (const [name, text] of files) {
    if ((await readFile(folder + name, "utf8").catch(() => undefined)) !== text) changed.push(name);
  }
  if (extra.length + changed.length === 0) {
    process.stdout.write(`${DASHBOARDS_FOLDER} is up to date\n`);
  } else if (values.check) {
    process.stderr.write(
      `${DASHBOARDS_FOLDER} is out of date (${[...changed, ...extra].join(", ")}): run npm run dashboards\n`,
    );
    process.exitCode = 1;
  } else {
    await mkdir(folder, { recursive: true });
    for (const name of changed) await writeFile(folder + name, files.get(name) ?? "");
    for (const name of extra) await rm(folder + name);
    process.stdout.write(`wrote ${changed.join(", ")} in ${DASHBOARDS_FOLDER}\n`);
  }
}
