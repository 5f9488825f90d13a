import { expect, test } from "vitest";
import { missingTools } from "../../../scripts/package/tools.ts";

const ARCHIVE = { SOURCE_DATE_EPOCH: "1", PRTG_EXPORTER_REVISION: "abc" };

test.each([
  [["npm"], {}, ["npm", "bash", "git"]],
  [["npm"], ARCHIVE, ["npm", "bash"]],
  [["linux-arm64"], ARCHIVE, ["npm", "bash", "go"]],
  [["windows-amd64"], ARCHIVE, ["npm", "bash", "wixl", "msibuild", "msiinfo"]],
  [["npm", "linux-amd64", "windows-amd64"], {}, ["npm", "bash", "git", "go", "wixl", "msibuild", "msiinfo"]],
])("the targets %j with %j need %j", (targets, env, programs) => {
  const missing = missingTools(new Set(targets), env, () => false);
  expect(missing.map((line) => line.split(" ")[0])).toEqual(programs);
  expect(missingTools(new Set(targets), env, () => true)).toEqual([]);
});

test("names the missing program and what to install", () => {
  const missing = missingTools(new Set(["windows-amd64"]), {}, (program) => program !== "wixl");
  expect(missing).toEqual([
    "wixl is missing: install Debian's packages wixl and msitools, or give other targets with --target",
  ]);
});

test("finds programs in the PATH", () => {
  expect(missingTools(new Set(["npm"]), process.env)).toEqual([]);
});
