import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { loadContract } from "../../../src/simulator/api/contract/contract.ts";
import { RELEASE_NAMES, type ReleaseName, releaseOf } from "../../../src/simulator/release/release.ts";
import { RELEASE_TABLE, type ReleaseLine } from "../../../src/simulator/release/release-table.ts";

const { operations } = await loadContract();
const lines: readonly ReleaseLine[] = RELEASE_TABLE;

test("the table names operations of the contract", () => {
  const known = new Set<string>(operations.map(({ id }) => id));
  expect(lines.flatMap((line) => line.operations ?? []).filter((id) => !known.has(id))).toEqual([]);
});

test("the table has of each operation the release that the contract says", () => {
  const stated = lines.flatMap((line) =>
    line.sure === "stated" ? (line.operations ?? []).map((id) => [id, line.from]) : [],
  );
  const said = operations.flatMap(({ id, since }) => (since === undefined ? [] : [[id, Number(since.split(".")[2])]]));
  expect(Object.fromEntries(stated)).toEqual(Object.fromEntries(said));
  expect(said.length).toBeGreaterThan(35);
});

test("what the specification does not have is of live servers only", () => {
  const seen = operations.filter(({ seenLive }) => seenLive).map(({ id }) => id);
  const live = new Set(lines.filter(({ spelling }) => spelling === "live").flatMap((line) => line.operations ?? []));
  expect(seen.filter((id) => !live.has(id))).toEqual([]);
});

function numberOf(name: ReleaseName): number {
  return Number(releaseOf(name, "live").version.split(".")[2]);
}

test("docs/simulator.md shows the table, release by release", () => {
  const page = readFileSync(new URL("../../../docs/simulator.md", import.meta.url), "utf8");
  const [head = "", ...rows] = /\n\| what \| 24\.3 .*?\n\n/s.exec(page)?.[0].trim().split("\n") ?? [];
  expect(head).toBe(`| what | ${RELEASE_NAMES.join(" | ")} | spelling | how sure |`);
  const expected = lines.map(({ what, from = 0, until = Infinity, spelling = "both", sure }) => {
    const marks = RELEASE_NAMES.map((name) => (numberOf(name) >= from && numberOf(name) < until ? "yes" : "no"));
    return `| ${[what, ...marks, spelling, sure].join(" | ")} |`;
  });
  expect(rows.slice(1)).toEqual(expected);
});
