import { globSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { ROOT, readPage } from "./support/pages.ts";

test("docs/architecture.md describes every folder of the code", () => {
  const listed = [...readPage("docs/architecture.md").prose.matchAll(/^\| `(\w+)\/` \| .{10}/gm)].map(
    ([, name]) => name,
  );
  const folders = readdirSync(path.join(ROOT, "src"), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(listed.toSorted()).toEqual(folders.map(({ name }) => name).toSorted());
});

test("folders of the simulator import only from folders above them", () => {
  const rooms = [...readPage("docs/architecture.md").prose.matchAll(/^\| `simulator\/(\w+)\/` \| /gm)].map(
    ([, name]) => name,
  );
  const cwd = path.join(ROOT, "packages/simulator/src");
  const folders = readdirSync(cwd, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(rooms.toSorted()).toEqual(folders.map(({ name }) => name).toSorted());
  const wrong = globSync("*/**/*.ts", { cwd }).flatMap((file) => {
    const imports = [...readFileSync(path.join(cwd, file), "utf8").matchAll(/ from "(\.[^"]+)"/g)];
    const roomOf = (one: string): number => rooms.indexOf(one.split(path.sep)[0]);
    return imports
      .map(([, target = ""]) => path.join(path.dirname(file), target))
      .filter((target) => roomOf(target) > roomOf(file))
      .map((target) => `${file} imports ${target}`);
  });
  expect(wrong).toEqual([]);
});
