import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import manifest from "../../package.json" with { type: "json" };
import { describeWithPrograms } from "./support/programs.ts";
import { runProgram } from "./support/run-program.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const FOLDER = `${ROOT}.github/workflows/`;
const WORKFLOWS = readdirSync(FOLDER).map((name) => ({ name, text: readFileSync(FOLDER + name, "utf8") }));

const spdx = z.object({
  spdxVersion: z.string(),
  packages: z.array(z.object({ name: z.string(), versionInfo: z.string() })),
});

describeWithPrograms(["actionlint"], "workflows", ({ actionlint }) => {
  test.each(WORKFLOWS)("$name passes actionlint", async ({ name }) => {
    const { code, stdout } = await runProgram(actionlint, ["-no-color", FOLDER + name], "");
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
  });
});

describe("release workflow", () => {
  test.each(WORKFLOWS)("pins actions to commits in $name", ({ text }) => {
    const uses = [...text.matchAll(/uses: (.*)$/gm)].map(([, action]) => action);
    expect(uses).not.toEqual([]);
    for (const action of uses) expect(action).toMatch(/^[\w-]+\/[\w-]+(?:\/[\w-]+)?@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  test("names every argument of the Dockerfile", () => {
    const release = WORKFLOWS.find(({ name }) => name === "release.yaml")?.text ?? "";
    const dockerfile = readFileSync(`${ROOT}Dockerfile`, "utf8");
    const declared = [...dockerfile.matchAll(/^ARG (\w+)=/gm)].map(([, name]) => name);
    const given = [...release.matchAll(/--build-arg (\w+)=/g)].map(([, name]) => name);
    expect(given.sort()).toEqual(declared.sort());
  });

  test("lists all installed parts of the image in its bill of materials", async () => {
    const release = WORKFLOWS.find(({ name }) => name === "release.yaml")?.text ?? "";
    expect(release).toContain("scripts/bill-of-materials.sh spdx >");
    const env = { ...process.env, npm_config_prefer_offline: "true" };
    const { code, stdout } = await runProgram(`${ROOT}scripts/bill-of-materials.sh`, ["spdx"], "", 280_000, env);
    expect(code).toBe(0);
    const { packages } = spdx.parse(JSON.parse(stdout));
    const names = packages.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(Object.keys(manifest.dependencies)));
    for (const name of [...Object.keys(manifest.devDependencies), ...Object.keys(manifest.optionalDependencies)]) {
      expect(names).not.toContain(name);
    }
  });
});
