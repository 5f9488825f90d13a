import { readFileSync } from "node:fs";
import { load } from "js-yaml";
import { describe, expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import lock from "../../package-lock.json" with { type: "json" };
import { PAGES } from "./support/pages.ts";

const ROOT = new URL("../../", import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, ROOT), "utf8");
const TEXTS = PAGES.map(({ file }) => [file, read(file)] as const);

const BROUGHT = Object.entries(manifest.optionalDependencies).filter(([name]) => name.startsWith("node-"));
const [, NODE = ""] = BROUGHT[0] ?? [];
const OLDEST = /^>=(\d+)$/.exec(manifest.engines.node)?.[1] ?? "";
const PAIRS = read("test/real/programs/machines.txt");
const NEWEST = Math.max(...[...PAIRS.matchAll(/^(\d+)\./gm)].map(([, major]) => Number(major)));
/** Oldest supported, bundled, and newest tested. */
const LINES = [OLDEST, NODE.split(".")[0] ?? "", String(NEWEST)];
/** Pages about the past keep their versions. */
const HISTORY = new Set(["docs/fuzz.md", "CHANGELOG.md"]);

describe("the version of Node.js", () => {
  test("is one, wherever a package brings it", () => {
    expect(NODE).toMatch(/^\d+\.\d+\.\d+$/);
    for (const [name, version] of BROUGHT) {
      expect(version, name).toBe(NODE);
      expect(new Map(Object.entries(lock.packages)).get(`node_modules/${name}`), name).toMatchObject({ version: NODE });
    }
  });

  test("is that of version managers and of the image", () => {
    expect(read(".nvmrc")).toBe(`${NODE}\n`);
    expect([...read("Dockerfile").matchAll(/library\/node:([\d.]+)-/g)].map(([, version]) => version)).toEqual([
      NODE,
      NODE,
    ]);
  });

  test("is named in pages as what runs, or as the oldest that does", () => {
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

test("CI tries the oldest Node.js that runs, and the newest", () => {
  expect([OLDEST, NODE.split(".")[0]]).toEqual(["24", "24"]);
  expect(read(".ci/run")).toContain(`^\\(${NEWEST}[0-9.]*\\) `);
});

test("types are those of the oldest Node.js, so that nothing newer is used", () => {
  expect(manifest.devDependencies["@types/node"].split(".")[0]).toBe(OLDEST);
});

describe("the version of the exporter", () => {
  test("is that of the lock file, and what the chart installs", () => {
    expect([lock.version, lock.packages[""].version]).toEqual([manifest.version, manifest.version]);
    const chart = load(read("deploy/helm/prtg-exporter/Chart.yaml"));
    expect(chart).toMatchObject({
      name: manifest.name,
      appVersion: manifest.version,
      version: expect.stringMatching(/^[1-9]\d*\.\d+\.\d+$/),
    });
  });

  test("is the newest that the changes have, with its date, below an empty place for what comes", () => {
    const headings = read("CHANGELOG.md").match(/^## .*$/gm) ?? [];
    expect(headings[0]).toBe("## Unreleased");
    expect(headings[1]).toMatch(new RegExp(`^## ${manifest.version.replaceAll(".", "\\.")} - \\d{4}-\\d\\d-\\d\\d$`));
  });

  test("is the one of every image, chart and package that pages name", () => {
    const named = TEXTS.flatMap(([file, text]) =>
      [...text.matchAll(/prtg-exporter(?:[:@_-]v?|.*--version )(\d+\.\d+\.\d+)/g)].map(([what, version]) => ({
        file,
        what,
        version,
      })),
    );
    for (const { file, what, version } of named) expect(version, `${file}: ${what}`).toBe(manifest.version);
    expect(named.length).toBeGreaterThan(0);
  });
});
