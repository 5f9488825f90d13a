import { describe, expect, test } from "vitest";
import { loadConfig } from "../../src/config/load.ts";

async function load(select: string) {
  const yaml = `servers:\n  - url: https://prtg.example.com:1616\n    auth: { api_key: "\${KEY}" }\n    select:\n${select}`;
  return (await loadConfig({ file: "t.yaml", env: { KEY: "k".repeat(32) }, readFile: async () => yaml })).config;
}

test("each entry has one condition, and ids can be numbers", async () => {
  const config = await load(
    "      include: [{ path: Berlin/* }, { id: 2001 }, { id: '2002' }, { tag: red }]\n      exclude: [{ filter: favorite = true }]\n",
  );
  expect(config.servers[0]?.select).toEqual({
    include: [
      { kind: "path", path: "Berlin/*" },
      { kind: "id", id: "2001" },
      { kind: "id", id: "2002" },
      { kind: "tag", tag: "red" },
    ],
    exclude: [{ kind: "filter", filter: "favorite = true" }],
  });
});

describe("errors of the selection have a position", () => {
  test.each([
    ["      include: []\n", /t\.yaml:5:16: servers\[0\]\.select\.include: expected at least one entry/],
    [
      "      include:\n        - {}\n",
      /t\.yaml:6:11: servers\[0\]\.select\.include\[0\]: expected one of path, id, tag and filter/,
    ],
    ["      exclude:\n        - { id: 1, tag: red }\n", /t\.yaml:6:11: .*expected one of path, id, tag and filter/],
    ["      include:\n        - { id: 1.5 }\n", /t\.yaml:6:17: .*expected the id of a probe, group, device or sensor/],
    ["      include:\n        - { path: '' }\n", /t\.yaml:6:19: .*expected a path such as Berlin/],
    ["      includes: [{ id: 1 }]\n", /unknown key, did you mean `include`/],
  ])("%j", async (select, problem) => {
    await expect(load(select)).rejects.toThrow(problem);
  });
});
