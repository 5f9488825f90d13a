import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import { readPage } from "../docs/support/pages.ts";
import { ROOT } from "./support/built-packages.ts";
import { describeWithPrograms } from "./support/programs.ts";
import { environmentWith, packedSimulator, programFolder, programsOf, runIn } from "./support/simulator-package.ts";

const PAIR = { node: "22.23.3", npm: "10.9.4" };
const { blocks } = readPage("docs/simulator-in-tests.md");
/** The first line of an example is a comment with the name of its file. */
const FILES = new Map(
  blocks.flatMap(({ text }) => {
    const [, name] = /^(?:#|\/\/) ([\w.]+)\n/.exec(text) ?? [];
    return name === undefined ? [] : [[name, text] as const];
  }),
);
const [INSTALL = "", COMMAND = "", CONTAINER = ""] = blocks
  .filter(({ language }) => language === "sh")
  .map(({ text }) => text.trim());

/** With mistakes that types have to find. */
const TYPED = `
import { type LoggedRequest, type SimulatedServer, start } from "prtg-simulator";
import manifest from "prtg-simulator/package.json" with { type: "json" };

await using server: SimulatedServer = await start({ seed: 7, startAt: new Date(), release: "25.4", faults: ["html"] });
const requests: readonly LoggedRequest[] = server.requests.list({ status: 503 });
const statuses: (number | undefined)[] = requests.map(({ status }) => status);
// @ts-expect-error
await start({ sensor: 5 });
// @ts-expect-error
server.objects.force("2001", "broken");
export const kept: [unknown, string] = [statuses, manifest.version];
`;

describeWithPrograms([...programsOf(PAIR), "pytest"], "docs/simulator-in-tests.md", ({ pytest }) => {
  let folder = "";
  let env: NodeJS.ProcessEnv = {};

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), "simulator-in-tests-"));
    const programs = programFolder(PAIR);
    // hypothesis and others would load with pytest.
    env = { ...environmentWith(programs), PYTEST_DISABLE_PLUGIN_AUTOLOAD: "1" };
    for (const [name, text] of FILES) writeFileSync(path.join(folder, name), text);
    const archive = await packedSimulator();
    const { code, stderr } = await run(INSTALL.replace("prtg-simulator", archive).split(" "));
    expect(code, stderr).toBe(0);
    return () => {
      for (const each of [folder, programs]) rmSync(each, { recursive: true, force: true });
    };
  });

  const run = (command: readonly string[]) => runIn(folder, env, command);
  const node = (args: readonly string[]) => run(["node", ...args]);

  test("the package has no Node.js, and its license", () => {
    const modules = readdirSync(path.join(folder, "node_modules"));
    expect(modules.filter((name) => name.startsWith("node-") && name !== "node-forge")).toEqual([]);
    const files = readdirSync(path.join(folder, "node_modules/prtg-simulator"));
    expect(files).toEqual(
      expect.arrayContaining(["LICENSE", "NOTICE", "README.md", "api", "bin", "dist", "scenarios"]),
    );
  });

  test("pytest runs the example for Python", async () => {
    const { code, stdout } = await run([pytest, "-q", "-p", "no:cacheprovider"]);
    expect([code, stdout]).toEqual([0, expect.stringContaining("3 passed")]);
  });

  test("node --test runs the examples for JavaScript", async () => {
    const { code, stdout } = await node(["--test", "client.test.mjs", "time.test.mjs"]);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^\S+ pass 4$/m)]);
  });

  test("Vitest runs its example", async () => {
    symlinkSync(path.join(ROOT, "node_modules/vitest"), path.join(folder, "node_modules/vitest"));
    const { code, stdout } = await node([
      ...[path.join(ROOT, "node_modules/vitest/vitest.mjs"), "run"],
      ...["--root", folder, "vitest.test.mjs"],
    ]);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/Tests +1 passed/)]);
  });

  test("the example of the package's own page runs", async () => {
    const example = readPage("packages/simulator/README.md").blocks.find(({ language }) => language === "js");
    const script = ["--input-type=module", "--eval", example?.text ?? ""];
    expect(await node(script)).toMatchObject({ code: 0, stdout: "", stderr: "" });
  });

  test("CommonJS can require the library", async () => {
    const script =
      'const { start } = require("prtg-simulator"); start({ sensors: 20 }).then((server) => server.close())';
    expect(await node(["--eval", script])).toMatchObject({ code: 0, stdout: "", stderr: "" });
  });

  test.each(["src/library.ts", "test/library.test.ts"])("the package does not export %s", async (name) => {
    const { code, stderr } = await node(["--input-type=module", "--eval", `import "prtg-simulator/${name}"`]);
    expect([code, stderr]).toEqual([1, expect.stringContaining("ERR_PACKAGE_PATH_NOT_EXPORTED")]);
  });

  test("TypeScript finds the types", async () => {
    writeFileSync(path.join(folder, "typed.mts"), TYPED);
    const flags = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2022", "--resolveJsonModule"];
    const { code, stdout } = await node([
      ...[path.join(ROOT, "node_modules/typescript/bin/tsc"), "--ignoreConfig", ...flags],
      ...["--types", "", "--lib", "es2022,dom", "typed.mts"],
    ]);
    expect([code, stdout]).toEqual([0, ""]);
  });

  test("the command writes the file, and ends with its standard input", async () => {
    const child = spawn("sh", ["-c", `exec ${COMMAND}`], {
      cwd: folder,
      stdio: ["pipe", "ignore", "inherit"],
      env: { ...env, PATH: `${folder}/node_modules/.bin:${env.PATH}` },
    });
    const ended = once(child, "close");
    const file = path.join(folder, "ready.json");
    await expect.poll(() => existsSync(file)).toBe(true);
    const shown = JSON.parse(blocks.find(({ language }) => language === "json")?.text ?? "");
    const facts = JSON.parse(readFileSync(file, "utf8"));
    expect(Object.keys(facts)).toEqual(Object.keys(shown));
    expect(facts.pid).toBe(child.pid);
    child.stdin.end();
    expect(await ended).toEqual([0, null]);
    expect(existsSync(file)).toBe(false);
  });

  test("no other code is on the page", () => {
    expect([...FILES.keys()]).toEqual([
      ...["client.py", "conftest.py", "test_client.py"],
      ...["client.mjs", "client.test.mjs", "vitest.test.mjs", "time.test.mjs"],
    ]);
    // test/containers/image.test.ts runs this one.
    expect(CONTAINER).toMatch(/^docker run /);
    expect(blocks).toHaveLength(FILES.size + 4);
  });
});
