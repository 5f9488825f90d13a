import { globSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { ROOT, readPage } from "./docs/support/pages.ts";
import { ALLOWED, type Allowed, EXPORTER, SIMULATOR } from "./support/allowed-imports.ts";
import { wrongImports } from "./support/wrong-imports.ts";

/** All but `src/main.ts`, which starts the program and belongs to no folder. */
const FILES = globSync("{src,packages/simulator/src}/**/*.ts", { cwd: ROOT })
  .map((file) => file.replaceAll(path.sep, "/"))
  .filter((file) => file !== "src/main.ts");

function foldersIn(folder: string): string[] {
  const entries = readdirSync(path.join(ROOT, folder), { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

test("files import only from the folders that the table allows", () => {
  expect(FILES.length).toBeGreaterThan(500);
  expect(FILES.flatMap((file) => wrongImports(file, readFileSync(path.join(ROOT, file), "utf8"), ALLOWED))).toEqual([]);
});

describe("docs/architecture.md", () => {
  const { prose } = readPage("docs/architecture.md");

  test("shows for each folder of src/ what it may import", () => {
    const rows = [...prose.matchAll(/^\| `([\w/]+)\/` \| .{10,} \| (.*?) ?\|$/gm)].map(([, folder, cell]) => [
      folder,
      cell,
    ]);
    expect(rows).toEqual(Object.entries(EXPORTER).map(([folder, allowed]) => [folder, cellOf(allowed)]));
    expect(
      Object.keys(EXPORTER)
        .filter((folder) => !folder.includes("/"))
        .toSorted(),
    ).toEqual(foldersIn("src").toSorted());
  });

  test("shows the folders of the simulator in their order", () => {
    const rows = [...prose.matchAll(/^\| `simulator\/(\w+)\/` \| /gm)].map(([, name]) => name);
    expect(rows).toEqual(SIMULATOR);
    expect(SIMULATOR.toSorted()).toEqual(foldersIn("packages/simulator/src").toSorted());
  });
});

function cellOf(allowed: Allowed): string {
  if (!("but" in allowed)) return allowed.filter((name) => name !== "errors" && name !== "lib").join(", ");
  return allowed.but.length === 0 ? "everything" : `everything but ${allowed.but.join(" and ")}`;
}

describe("wrongImports", () => {
  const table = {
    lib: [],
    "lib/http": ["lib"],
    config: ["lib", "model/names.ts"],
    model: ["lib"],
    app: { but: ["cli", "simulator"] },
    cli: { but: [] },
    simulator: ["simulator/world"],
    "simulator/world": ["simulator"],
    "simulator/api": ["simulator", "simulator/world"],
  };
  const wrong = (file: string, source: string) => wrongImports(file, source, table);

  test.each([
    ["src/model/one.ts", 'import { a } from "../lib/text.ts";'],
    ["src/model/deep/one.ts", 'import { a } from "../other.ts";'],
    ["src/config/one.ts", 'import type { A } from "../model/names.ts";'],
    ["src/model/one.ts", 'import { z } from "zod";'],
    ["src/app/one.ts", 'import { a } from "../model/deep/one.ts";'],
    ["src/cli/one.ts", 'import { a } from "../../packages/simulator/src/world/tree.ts";'],
    ["src/cli/one.ts", 'import { a } from "prtg-simulator/src/world/tree.ts";'],
    ["packages/simulator/src/api/one.ts", 'import { a } from "../world/tree.ts";'],
    ["packages/simulator/src/world/one.ts", 'import data from "../../data/sites.json" with { type: "json" };'],
  ])("allows in %s: %s", (file, source) => {
    expect(wrong(file, source)).toEqual([]);
  });

  test.each([
    ["src/lib/one.ts", 'import { a } from "../model/tree.ts";', "model/tree.ts"],
    ["src/lib/one.ts", 'import type { A } from "../model/tree.ts";', "model/tree.ts"],
    ["src/lib/one.ts", 'import {\n  type A,\n  b,\n} from "../model/tree.ts";', "model/tree.ts"],
    ["src/lib/one.ts", 'export * from "../model/tree.ts";', "model/tree.ts"],
    ["src/lib/one.ts", 'import "../model/tree.ts";', "model/tree.ts"],
    ["src/lib/one.ts", 'const tree = await import(\n  "../model/tree.ts"\n);', "model/tree.ts"],
    ["src/model/one.ts", 'import { a } from "../lib/http/agent.ts";', "lib/http/agent.ts"],
    ["src/config/one.ts", 'import { a } from "../model/tree.ts";', "model/tree.ts"],
    ["src/model/one.ts", 'import { a } from "../../test/support/a.ts";', "../test/support/a.ts"],
    ["src/cli/one.ts", 'import { a } from "../../scripts/build.ts";', "../scripts/build.ts"],
    ["src/app/one.ts", 'import { a } from "prtg-simulator/src/simulator.ts";', "simulator/simulator.ts"],
    ["src/app/one.ts", 'import { a } from "../../packages/simulator/src/simulator.ts";', "simulator/simulator.ts"],
    ["packages/simulator/src/world/one.ts", 'import { a } from "../api/table.ts";', "simulator/api/table.ts"],
    ["packages/simulator/src/api/one.ts", 'import { a } from "../../../../src/lib/text.ts";', "lib/text.ts"],
    ["packages/simulator/src/one.ts", 'import { a } from "../../../src/lib/text.ts";', "lib/text.ts"],
  ])("refuses in %s: %s", (file, source, target) => {
    expect(wrong(file, source)).toEqual([`${file} imports ${target}`]);
  });
});
