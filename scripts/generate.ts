import { mkdir, writeFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { outdated } from "./generate/outputs.ts";

const USAGE = `Usage: node scripts/generate.ts [--check] [--root DIRECTORY]

Writes the files that are generated from the code. With --check it writes nothing, names those that differ, and exits
with 1 if there are any.
`;

const { values } = parseArgs({
  options: { check: { type: "boolean" }, root: { type: "string" }, help: { type: "boolean" } },
});

if (values.help) {
  process.stdout.write(USAGE);
} else {
  const root = values.root === undefined ? new URL("../", import.meta.url) : pathToFileURL(`${values.root}/`);
  for (const { path, content } of await outdated(root)) {
    if (values.check) {
      process.stderr.write(`${path} is out of date: run npm run docs\n`);
      process.exitCode = 1;
    } else {
      const target = new URL(path, root);
      await mkdir(new URL(".", target), { recursive: true });
      await writeFile(target, content);
      process.stdout.write(`wrote ${path}\n`);
    }
  }
}
