import simulator from "prtg-simulator/package.json" with { type: "json" };
import { expect, test } from "vitest";
import { z } from "zod";
import { lockedPackages } from "../../../scripts/package/build.ts";
import { neededBy, publishedManifest, shrinkwrap } from "../../../scripts/package/manifests.ts";

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

test("the published manifest of prtg-simulator exports only files of the package", () => {
  const { exports, files } = publishedManifest({ ...simulator }, []);
  expect(Object.keys(exports as object)).toEqual([".", "./package.json", "./api/*", "./contract/*", "./scenarios/*"]);
  expect(files).toEqual(simulator.files);
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

test("the lock of a package of the workspace has what it needs, from where Node.js finds it", () => {
  const manifest = { name: "a", version: "1.0.0", dependencies: { b: "1.0.0" }, optionalDependencies: { c: "1.0.0" } };
  const locked = {
    "": {},
    "node_modules/b": { dependencies: { d: "^2.0.0", e: "^1.0.0" } },
    "node_modules/b/node_modules/d": { dependencies: { e: "^1.0.0" } },
    "node_modules/c": { optional: true },
    "node_modules/d": {},
    "node_modules/e": { dependencies: { b: "^1.0.0" } },
    "node_modules/other": {},
  };
  expect(Object.keys(neededBy(manifest, locked))).toEqual([
    "node_modules/b",
    "node_modules/b/node_modules/d",
    "node_modules/c",
    "node_modules/e",
  ]);
  const missing = { ...manifest, dependencies: { nowhere: "1.0.0" } };
  expect(() => neededBy(missing, locked)).toThrow("package-lock.json has no nowhere for the package");
});

test("the lock of prtg-simulator pins all dependencies", () => {
  const needed = neededBy(simulator, lockedPackages());
  expect(Object.keys(needed)).toEqual(
    expect.arrayContaining(Object.keys(simulator.dependencies).map((name) => `node_modules/${name}`)),
  );
  expect(Object.values(needed).filter((entry) => !("integrity" in entry))).toEqual([]);
});

test("the dependencies of prtg-simulator run on its oldest Node.js", () => {
  const versionOf = (range: string) =>
    (/(\d+)(?:\.(\d+))?/.exec(range) ?? []).slice(1).map((part) => Number(part ?? 0));
  const [major = 0, minor = 0] = versionOf(simulator.engines.node);
  const ranges = Object.values(neededBy(simulator, lockedPackages())).flatMap(({ engines }) => {
    return z.object({ node: z.string() }).safeParse(engines).data?.node ?? [];
  });
  expect(ranges.length).toBeGreaterThan(2);
  const newer = ranges.filter((range) => {
    const [needed = 0, detail = 0] = versionOf(range);
    return needed > major || (needed === major && detail > minor);
  });
  expect(newer).toEqual([]);
});
