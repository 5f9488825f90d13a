import { expect, test } from "vitest";
import type { SimNode } from "../../src/world/model.ts";
import { createWorld } from "../../src/world/world.ts";
import { STARTED_AT } from "./fixtures.ts";

/** As the demo has it. */
const world = createWorld({ seed: 1, size: {}, startedAt: STARTED_AT });

test("too little free space is a problem, not too much", () => {
  const free = world
    .channels()
    .filter(
      ({ name, displayUnit }) => displayUnit === "%" && /\b(free|available|freier|verfügbar\w*|frei)\b/i.test(name),
    );
  const limited = free.filter(({ limits }) => Object.keys(limits).length > 0);
  expect(limited.length).toBeGreaterThan(20);
  expect(limited.filter(({ limits }) => limits.maxWarning !== undefined || limits.maxError !== undefined)).toEqual([]);
  expect(limited.every(({ limits }) => limits.minWarning !== undefined || limits.minError !== undefined)).toBe(true);
});

test("channels have German names only in German cities", () => {
  const german = world.channels().filter(({ name }) => /\b(Freier Platz|Verkehr|Auslastung|Speicher)\b/.test(name));
  expect(german.length).toBeGreaterThan(20);
  const sites = new Set(german.map(({ sensor }) => siteOf(sensor)));
  for (const site of sites) expect(site).toMatch(/^(Nürnberg|Frankfurt|Zürich|Wien)\b/);
});

/** The site, or the probe of a device without one. */
function siteOf(node: SimNode): string {
  const { parent } = node;
  if (parent === undefined) return node.name;
  if (parent.kind !== "probe") return siteOf(parent);
  return node.kind === "group" ? node.name : parent.name;
}
