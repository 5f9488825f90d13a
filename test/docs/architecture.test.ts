import { readdirSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { ROOT, readPage } from "./support/pages.ts";

test("docs/architecture.md says of every folder of the code what it does", () => {
  const listed = [...readPage("docs/architecture.md").prose.matchAll(/^\| `(\w+)\/` \| .{10}/gm)].map(
    ([, name]) => name,
  );
  const folders = readdirSync(path.join(ROOT, "src"), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(listed.toSorted()).toEqual(folders.map(({ name }) => name).toSorted());
});
