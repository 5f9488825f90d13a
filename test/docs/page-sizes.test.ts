import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { mapEntry } from "../../src/lib/map-entry.ts";
import { CLOCK_START } from "../support/manual-clock.ts";
import { startSimulatedExporter } from "../support/simulated-exporter.ts";

const SIZING = readFileSync(new URL("../../docs/sizing.md", import.meta.url), "utf8");
const SIZE = { probes: 2, groups: 10, devices: 60, sensors: 600 };
const IDS = "labels: { keep: ids }";
const NO_INFO = "metrics: { channel_info: never }";
const LIST = "labels: { keep: [device, sensor, channel, unit] }";
/** Names vary in length. */
const TOLERANCE = 3;

const sizes = new Map<string, Promise<number>>();

/** Page size without the exporter's own metrics, from one exporter for all tests. */
function pageSize(settings: string): Promise<number> {
  return mapEntry(sizes, settings, () => measured(settings));
}

async function measured(settings: string): Promise<number> {
  const started = await startSimulatedExporter({ settings, size: SIZE });
  try {
    started.simulator.freezeAt(CLOCK_START);
    expect(await started.poll()).toBe(true);
    const lines = (await started.page()).split("\n").filter((line) => /^prtg_(?!exporter_)/.test(line));
    return lines.join("\n").length;
  } finally {
    await started.close();
  }
}

describe("docs/sizing.md on fewer labels", () => {
  test.each([
    { row: `\`${IDS}\` and \`${NO_INFO}\``, settings: `${IDS}\n${NO_INFO}` },
    { row: `\`${LIST}\` and \`${NO_INFO}\``, settings: `${LIST}\n${NO_INFO}` },
    { row: `\`${IDS}\` alone`, settings: IDS },
  ])("$row", async ({ row, settings }) => {
    const line = SIZING.split("\n").find((text) => text.startsWith(`| ${row} |`));
    const said = Number(/ \| (?<percent>\d+) % of the page/.exec(line ?? "")?.groups?.percent);
    const saved = 100 * (1 - (await pageSize(settings)) / (await pageSize("")));
    expect(Math.abs(saved - said)).toBeLessThan(TOLERANCE);
  });

  test("says that a list of labels can make the page larger", async () => {
    expect(await pageSize(LIST)).toBeGreaterThan(await pageSize(""));
  });
});
