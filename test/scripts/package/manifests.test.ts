import { expect, test } from "vitest";
import { publishedManifest, shrinkwrap } from "../../../scripts/package/manifests.ts";

test("the published manifest omits development fields and names the lock", () => {
  const manifest = {
    name: "a",
    private: true,
    workspaces: ["packages/*"],
    scripts: { predemo: "node scripts/install.cjs" },
    devDependencies: { vitest: "1.0.0" },
    bin: { a: "bin/a.js" },
    files: ["dist"],
  };
  expect(publishedManifest(manifest)).toEqual({
    name: "a",
    bin: { a: "bin/a.js" },
    files: ["dist", "CHANGELOG.md", "npm-shrinkwrap.json"],
  });
});

test("the lock of the package has only runtime dependencies", () => {
  const manifest = { name: "a", version: "1.0.0", dependencies: { b: "2.0.0" }, optionalDependencies: { c: "3.0.0" } };
  const locked: Record<string, { dev?: boolean; link?: boolean; [key: string]: unknown }> = {
    "": { devDependencies: { d: "4.0.0" }, workspaces: ["packages/*"] },
    "node_modules/b": { version: "2.0.0", integrity: "sha512-b" },
    "node_modules/c": { version: "3.0.0", optional: true },
    "node_modules/d": { version: "4.0.0", dev: true },
    "node_modules/e": { resolved: "packages/e", link: true },
    "packages/e": { version: "5.0.0" },
  };
  const { packages } = JSON.parse(JSON.stringify(shrinkwrap(manifest, locked)));
  expect(packages).toEqual({
    "": manifest,
    "node_modules/b": locked["node_modules/b"],
    "node_modules/c": locked["node_modules/c"],
  });
});
