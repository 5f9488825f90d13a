import { readFileSync } from "node:fs";
import { load } from "js-yaml";
import simulator from "prtg-simulator/package.json" with { type: "json" };
import { describe, expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import lock from "../../package-lock.json" with { type: "json" };
import { NAMED_VERSION } from "../../scripts/version/edits.ts";
import { PAGES } from "./support/pages.ts";

const ROOT = new URL("../../", import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, ROOT), "utf8");
const TEXTS = PAGES.map(({ file }) => [file, read(file)] as const);

const BROUGHT = Object.entries(manifest.optionalDependencies).filter(([name]) => name.startsWith("node-"));
const [, NODE = ""] = BROUGHT[0] ?? [];
const OLDEST = /^>=(\d+)$/.exec(manifest.engines.node)?.[1] ?? "";
const PAIRS = read("test/real/programs/machines.txt");
const NEWEST = Math.max(...[...PAIRS.matchAll(/^(\d+)\./gm)].map(([, major]) => Number(major)));
const [, OLDEST_OF_SIMULATOR = ""] = /^>=(\d+)\./.exec(simulator.engines.node) ?? [];
/** Oldest supported, bundled, and newest tested. */
const LINES = [OLDEST, OLDEST_OF_SIMULATOR, NODE.split(".")[0] ?? "", String(NEWEST)];
/** Pages about the past keep their versions. */
const HISTORY = new Set(["docs/fuzz.md", "CHANGELOG.md"]);

describe("version of Node.js", () => {
  test("is the same in all packages", () => {
    expect(NODE).toMatch(/^\d+\.\d+\.\d+$/);
    for (const [name, version] of BROUGHT) {
      expect(version, name).toBe(NODE);
      expect(new Map(Object.entries(lock.packages)).get(`node_modules/${name}`), name).toMatchObject({ version: NODE });
    }
  });

  test("matches version managers and the image", () => {
    expect(read(".nvmrc")).toBe(`${NODE}\n`);
    expect([...read("Dockerfile").matchAll(/library\/node:([\d.]+)-/g)].map(([, version]) => version)).toEqual([
      NODE,
      NODE,
    ]);
  });

  test("appears in pages as current or oldest version", () => {
    const current = TEXTS.filter(([file]) => !HISTORY.has(file) && !file.startsWith("docs/decisions/"));
    const named = current.flatMap(([file, text]) =>
      // "Node v24.20.0": version of a measurement.
      [...text.matchAll(/\bNode(?:\.js)? (\d+)\b/g)].map(([what, major = ""]) => ({ file, what, major })),
    );
    expect(named.length).toBeGreaterThan(0);
    for (const { file, what, major } of named) {
      expect(LINES, `${file}: ${what}`).toContain(major);
    }
  });
});

test("CI tests the oldest and the newest Node.js", () => {
  expect([OLDEST, NODE.split(".")[0]]).toEqual(["24", "24"]);
  expect(read(".ci/tiers.sh")).toContain(`^\\(${NEWEST}[0-9.]*\\) `);
});

test("types belong to the oldest Node.js, which prevents newer APIs", () => {
  expect(manifest.devDependencies["@types/node"].split(".")[0]).toBe(OLDEST);
});

describe("version of the exporter", () => {
  test("matches the lock file and the chart", () => {
    expect([lock.version, lock.packages[""].version]).toEqual([manifest.version, manifest.version]);
    // The release publishes both packages for npm.
    expect(simulator.version).toBe(manifest.version);
    const chart = load(read("deploy/helm/prtg-exporter/Chart.yaml"));
    expect(chart).toMatchObject({
      name: manifest.name,
      appVersion: manifest.version,
      version: expect.stringMatching(/^[1-9]\d*\.\d+\.\d+$/),
    });
  });

  test("is the newest in the changelog, with a date, below an empty section", () => {
    const headings = read("CHANGELOG.md").match(/^## .*$/gm) ?? [];
    expect(headings[0]).toBe("## Unreleased");
    expect(headings[1]).toMatch(new RegExp(`^## ${manifest.version.replaceAll(".", "\\.")} - \\d{4}-\\d\\d-\\d\\d$`));
  });

  test("matches every image, chart and package in pages", () => {
    const named = TEXTS.flatMap(([file, text]) =>
      [...text.matchAll(NAMED_VERSION)].map(([what, , version]) => ({ file, what, version })),
    );
    for (const { file, what, version } of named) expect(version, `${file}: ${what}`).toBe(manifest.version);
    expect(named.length).toBeGreaterThan(0);
  });
});
