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

describe("nothing from outside becomes code or a command", () => {
  test("the sources are found", () => {
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
  ])("%s is nowhere", (_what, pattern) => {
    expect(sourcesWith(pattern)).toEqual([]);
  });

  test("threads run one file of our own, with no text from outside", () => {
    const withWorkers = sourcesWith(/\bnew Worker\(/);
    expect(withWorkers).toEqual(["src/http/auth/bcrypt-thread.ts"]);
    expect(read("src/http/auth/bcrypt-thread.ts")).toMatch(/const WORKER = new URL\(/);
  });

  test("the linter forbids eval", () => {
    const { linter } = JSON.parse(read("biome.json"));
    // The recommended set includes noGlobalEval.
    expect(linter.rules.preset).toBe("recommended");
    expect(read("biome.json")).not.toContain("noGlobalEval");
    expect(sourcesWith(/biome-ignore/)).toEqual([]);
  });
});

test("no file is opened for a request: only the reading of certificates and of the pages' own files touches the disk", () => {
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

  test("are exact, and no range slips in", () => {
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(read("package.json"));
    for (const version of Object.values({ ...dependencies, ...devDependencies, ...optionalDependencies })) {
      expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    }
  });

  test("are what the lock file says, by SHA-512, and run nothing when they are installed", () => {
    expect(installed.length).toBeGreaterThan(50);
    for (const [path, { integrity, hasInstallScript, resolved }] of installed) {
      expect([path, integrity]).toEqual([path, expect.stringMatching(/^sha512-/)]);
      expect([path, hasInstallScript, resolved]).toEqual([path, undefined, undefined]);
    }
  });
});
