import { describe, expect, test } from "vitest";
import { commandsIn, minimalValues, pageCommands } from "../../../scripts/rehearsal/page-commands.ts";

const ROOT = new URL("../../../", import.meta.url);

describe("install commands of the pages", () => {
  const commands = pageCommands(ROOT);

  test("are rehearsed or have a reason", () => {
    for (const { kind, reason } of commands)
      expect([kind, reason].filter((each) => each !== undefined)).toHaveLength(1);
  });

  test("install every kind of package from the README", () => {
    const kinds = commands.filter(({ file }) => file === "README.md").map(({ kind }) => kind);
    expect(kinds.toSorted()).toEqual(["chart", "deb", "image", "npm"]);
  });

  test("have the values that they name", () => {
    expect(minimalValues(ROOT)).toContain("servers:\n");
  });
});

describe("commandsIn", () => {
  test.each([
    ["a block", "```\nnpm install --global a    # any system\n```\n", ["npm install --global a"]],
    ["two lines", "```sh\ndocker run \\\n  ghcr.io/a/b:1\n```\n", ["docker run ghcr.io/a/b:1"]],
    [
      "a comment",
      "```\napt install ./prtg-a.deb   # or: dnf install ./prtg-a.rpm\n```\n",
      ["apt install ./prtg-a.deb", "dnf install ./prtg-a.rpm"],
    ],
    ["a sentence", "Use `npx a` or `npm test`.\n", ["npx a"]],
    ["a command of a clone", "```\ndocker run --rm prtg-exporter demo\n```\n", []],
  ])("finds commands in %s", (_place, page, found) => {
    expect(commandsIn(page)).toEqual(found);
  });
});
