import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { WorldSize } from "prtg-simulator/src/world/layout/size.ts";
import type { World } from "prtg-simulator/src/world/model.ts";
import { createWorld } from "prtg-simulator/src/world/world.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TREE_FAMILIES } from "../../src/mapping/metric-table.ts";
import { EXPORTER_FAMILIES } from "../../src/telemetry/metric-declarations.ts";
import { parseFamilies, parsePage } from "../support/parse-sample.ts";
import type { SimulatedExporterOptions } from "../support/simulated-exporter.ts";
import { slicePage } from "./support/page-slices.ts";
import { describeWithPrograms } from "./support/programs.ts";
import { promtoolCheckMetrics } from "./support/prometheus.ts";
import { startScrapedExporter } from "./support/scraped-exporter.ts";

const SILENT = { code: 0, output: "" };
const TREE_NAMES = Object.values(TREE_FAMILIES).map(({ name }) => name);
/** OTLP metrics need a receiver, leader metrics an election, and sync is another command. */
const OWN_NAMES = EXPORTER_FAMILIES.map(({ name }) => name).filter(
  (name) => !/^prtg_(exporter_(otlp_|leader$)|sync_)/.test(name),
);

/** Optional metrics and a rule, so that counters of rules exist. */
const SETTINGS = `metrics: { channel_info: always, dependency_info: true, sensor_down_delay: true }
mapping: { rules: [{ match: { unit: msec }, drop: true }] }
collectors: { details: { enabled: true } }
`;

/** Slightly too low for all devices. */
const LIMITED = `${SETTINGS}limits: { max_series: 3500 }\n`;

/** One per counter: retry, smaller pages, moving lists, odd records. */
const TROUBLE = ["error=503@/health#1", "execution-timeout=1000", "moving-list=delete", "odd-records=10"];

/** promtool 3 compares all pairs: minutes for 10,000. */
const SLICE = 150;

describeWithPrograms(["promtool-2", "promtool-3"], "promtool check metrics", (paths) => {
  describe.each(["live", "specification"] as const)("page of a whole server in the spelling of %s", (spelling) => {
    let page = "";

    beforeAll(async () => {
      page = await pageAfter(2, { settings: SETTINGS, simulator: { spelling } });
      expect([...parseFamilies(page).keys()]).toEqual(
        expect.arrayContaining([...TREE_NAMES, "prtg_up", "process_cpu_seconds_total", "nodejs_gc_duration_seconds"]),
      );
    });

    test("passes promtool 2", async () => {
      expect(await promtoolCheckMetrics(paths["promtool-2"], page)).toEqual(SILENT);
    });

    test("passes promtool 3 in slices", async () => {
      const slices = slicePage(page, SLICE);
      expect(slices.reduce((sum, slice) => sum + parsePage(slice).size, 0)).toBe(parsePage(page).size);
      for (const slice of slices) expect(await promtoolCheckMetrics(paths["promtool-3"], slice)).toEqual(SILENT);
    });
  });

  describe("page of a failing server with all families", () => {
    const folder = mkdtempSync(join(tmpdir(), "prtg-exporter-events-"));
    let page = "";

    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    beforeAll(async () => {
      const settings = `${LIMITED}web: { external_url: "https://exporter.example.com", mcp: true }\nevents: { file: ${JSON.stringify(join(folder, "events.jsonl"))} }\n`;
      page = await pageAfter(1, { settings, size: { sensors: 250 }, simulator: { faults: TROUBLE } });
      // The limit also drops the group of the outage. The page above has it.
      const names = TREE_NAMES.filter((name) => !name.startsWith("prtg_outage_"));
      expect([...parseFamilies(page).keys()]).toEqual(expect.arrayContaining([...names, ...OWN_NAMES]));
    });

    test.each(["promtool-2", "promtool-3"] as const)("passes %s", async (promtool) => {
      expect(await promtoolCheckMetrics(paths[promtool], page)).toEqual(SILENT);
    });
  });
});

async function pageAfter(polls: number, { size = {}, simulator, ...options }: SimulatedExporterOptions) {
  const world = eventfulWorld(size);
  const exporter = await startScrapedExporter({ ...options, simulator: { ...simulator, world } });
  try {
    for (let poll = 0; poll < polls; poll++) await exporter.poll();
    await exporter.fetchPage();
    // Counts as rejected, even without a readable response.
    await fetch(`http://${exporter.address}/metrics`, { method: "POST", body: "a".repeat(2 << 20) }).catch(
      () => undefined,
    );
    return await exporter.fetchPage();
  } finally {
    await exporter.close();
  }
}

/** A device depends on another one, probes have coordinates, and a group is down. */
function eventfulWorld(size: Partial<WorldSize>): World {
  const now = Date.now();
  const world = createWorld({ seed: 1, size, startedAt: now });
  const [core, device] = world.list("device").filter(({ type }) => type === "device");
  world.edit(device?.id ?? "", { dependency: { schedule: "none", dependsOn: core?.children[0]?.id } }, now);
  for (const { id } of world.list("probe")) world.edit(id, { tags: ["geo:-33.87_151.21"] }, now);
  const forever = { start: 0, lengthMs: Number.POSITIVE_INFINITY, everyMs: Number.POSITIVE_INFINITY, times: 1 };
  const effect = { kind: "status", status: "down", message: undefined } as const;
  world.addIncident(world.list("group").at(-1)?.id ?? "", { ...forever, effect });
  return world;
}
