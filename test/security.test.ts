import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

function read(path: string): string {
  return readFileSync(`${ROOT}/${path}`, "utf8");
}

const SOURCES = globSync("{src,packages/*/src}/**/*.{ts,js}", { cwd: ROOT });

/** Matching files, ignoring comments. */
function sourcesWith(pattern: RegExp): string[] {
  return SOURCES.filter((path) => pattern.test(read(path).replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, ""))).sort();
}

describe("text from outside", () => {
  test("has sources to check", () => {
    expect(SOURCES.length).toBeGreaterThan(300);
    expect(sourcesWith(/from "node:http"/).length).toBeGreaterThan(3);
  });

  test.each([
    ["a child process", /child_process/],
    ["a script of its own", /["'](?:node:)?vm["']/],
    ["a flag of V8 set at run time", /setFlagsFromString/],
    ["eval", /\beval\s*\(/],
    ["a function made of text", /\bnew Function\b|\bFunction\s*\(\s*["'`]/],
    ["a timer with text", /\bset(?:Timeout|Interval)\s*\(\s*["'`]/],
    ["native code", /process\.(?:binding|dlopen)|\.node["']/],
    ["a module whose name is computed", /\bimport\s*\((?!\s*"[\w@./-]+"\s*\))|\bcreateRequire\b/],
  ])("never reaches %s", (_what, pattern) => {
    expect(sourcesWith(pattern)).toEqual([]);
  });

  test("does not reach threads, which run one file", () => {
    const withWorkers = sourcesWith(/\bnew Worker\(/);
    expect(withWorkers).toEqual(["src/http/auth/bcrypt-thread.ts"]);
    expect(read("src/http/auth/bcrypt-thread.ts")).toMatch(/const WORKER = new URL\(/);
  });

  test("cannot use eval, by a linter rule", () => {
    const { linter } = JSON.parse(read("biome.json"));
    // The recommended set includes noGlobalEval.
    expect(linter.rules.preset).toBe("recommended");
    expect(read("biome.json")).not.toContain("noGlobalEval");
    expect(sourcesWith(/biome-ignore/)).toEqual([]);
  });
});

test("requests open no files, and the web server reads only certificates and its own page files", () => {
  const touching = sourcesWith(/import (?!type).* from "node:fs(?:\/promises)?"/).filter((path) =>
    path.startsWith("src/http/"),
  );
  expect(touching).toEqual(["src/http/pages/status/respond.ts"]);
  // Only constant names, at the start.
  expect(read("src/http/pages/status/respond.ts")).toMatch(/readFileSync\(new URL\(/);
});

describe("dependencies", () => {
  const { packages }: { packages: Record<string, Record<string, unknown>> } = JSON.parse(read("package-lock.json"));
  // Workspaces are linked.
  const installed = Object.entries(packages).filter(([path, { link }]) => path.startsWith("node_modules/") && !link);

  test("have exact versions", () => {
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(read("package.json"));
    for (const version of Object.values({ ...dependencies, ...devDependencies, ...optionalDependencies })) {
      expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    }
  });

  test("match the lock file by SHA-512 and run no install scripts", () => {
    expect(installed.length).toBeGreaterThan(50);
    for (const [path, { integrity, hasInstallScript, resolved }] of installed) {
      expect([path, integrity]).toEqual([path, expect.stringMatching(/^sha512-/)]);
      expect([path, hasInstallScript, resolved]).toEqual([path, undefined, undefined]);
    }
  });
});
