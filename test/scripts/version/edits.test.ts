import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { CHART_FILE, editsFor, nextChartVersion } from "../../../scripts/version/edits.ts";

const RELEASE = { version: "98.7.6", date: "2030-01-02", chartVersion: "97.6.5" };
const read = (file: string) => readFileSync(new URL(`../../../${file}`, import.meta.url), "utf8");

/** Lines of the repository's file that a release changes or adds. */
function newLines(file: string): string[] {
  const before = new Set(read(file).split("\n"));
  const edit = editsFor(RELEASE).find((one) => one.file === file);
  return (edit?.change(read(file)).split("\n") ?? []).filter((line) => !before.has(line)).map((line) => line.trim());
}

test.each([
  ["packages/simulator/package.json", ['"version": "98.7.6",']],
  ["package-lock.json", ['"version": "98.7.6",']],
  ["deploy/helm/prtg-exporter/Chart.yaml", ["version: 97.6.5", "appVersion: 98.7.6"]],
  ["deploy/helm/prtg-exporter/unittests/workload_test.yaml", ["helm.sh/chart: prtg-exporter-97.6.5"]],
  ["CHANGELOG.md", ["## 98.7.6 - 2030-01-02"]],
])("a release changes its version in %s", (file, lines) => {
  expect(newLines(file)).toEqual(lines);
});

test("a release changes the lock of the simulator only, because npm writes that of the exporter", () => {
  const { change } = editsFor(RELEASE).find(({ file }) => file === "package-lock.json") ?? {};
  const { version, packages } = JSON.parse(change?.(read("package-lock.json")) ?? "");
  expect(packages["packages/simulator"].version).toBe("98.7.6");
  expect([version, packages[""].version]).toEqual([JSON.parse(read("package.json")).version, version]);
});

test.each([["README.md"], ["docs/deployment.md"]])("a release changes images and packages in %s", (file) => {
  const lines = newLines(file);
  expect(lines.length).toBeGreaterThan(0);
  for (const line of lines) expect(line).toMatch(/prtg-exporter[:_]98\.7\.6/);
});

test("a file without the place of a version stops the release", () => {
  for (const { file, change } of editsFor(RELEASE).filter((edit) => !/^(?:README|docs\/)/.test(edit.file))) {
    expect(() => change(""), file).toThrow("a release expects");
  }
});

test("a release raises the patch of the chart", () => {
  expect(nextChartVersion("name: a\nversion: 1.2.9\nappVersion: 3.4.5\n")).toBe("1.2.10");
  expect(() => nextChartVersion("appVersion: 3.4.5\n")).toThrow(CHART_FILE);
});
