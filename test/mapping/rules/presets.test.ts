import { readdir } from "node:fs/promises";
import type { SimChannel, SimNode, SimSensor, World } from "prtg-simulator/src/world/model.ts";
import { createWorld } from "prtg-simulator/src/world/world.ts";
import { beforeAll, describe, expect, test } from "vitest";
import { compileMapping } from "../../../src/app/mapping.ts";
import { mappingSchema, PRESET_NAMES, type PresetName } from "../../../src/config/mapping-schema.ts";
import { PRESET_FOLDER, readRuleFiles } from "../../../src/config/rule-files.ts";
import type { ChannelAttributes, Mapping, SensorAttributes } from "../../../src/mapping/rules/rule.ts";
import type { RuleSet } from "../../../src/mapping/rules/rule-set.ts";
import { convert } from "../../../src/mapping/units/base-units.ts";
import { NOT_SIMULATED, nearly, SIMULATOR_UNITS } from "../../support/simulator-units.ts";

const NOW = Date.UTC(2026, 2, 12, 10);

interface WorldChannel {
  readonly sim: SimChannel;
  readonly sensor: SensorAttributes;
  readonly channel: ChannelAttributes;
}

let world: World;
let channels: WorldChannel[];

beforeAll(() => {
  // As in large installations. The default world lacks the last channels.
  world = createWorld({ seed: 42, size: { sensors: 1300, channels: 16_000 }, startedAt: NOW });
  const sensors = new Map<SimSensor, SensorAttributes>();
  channels = world.channels().map((sim) => {
    const sensor = sensors.get(sim.sensor) ?? attributesOf(sim.sensor);
    sensors.set(sim.sensor, sensor);
    return { sim, sensor, channel: { name: sim.name, unit: sim.displayUnit } };
  });
});

function attributesOf(sensor: SimSensor): SensorAttributes {
  const path: string[] = [];
  for (let node: SimNode | undefined = sensor; node?.parent !== undefined; node = node.parent) path.unshift(node.name);
  return {
    type: sensor.type.replace(/\.\d+$/, ""),
    typeName: sensor.typeName,
    tags: sensor.tags,
    inheritedTags: [],
    device: sensor.parent?.name ?? "",
    path: path.join("/"),
  };
}

async function ruleSetOf(presets: readonly (PresetName | "all")[]): Promise<RuleSet> {
  const settings = mappingSchema.parse({ presets });
  const files = await readRuleFiles(settings, {
    file: "prtg.yaml",
    origin: { place: () => ({ location: "prtg.yaml", key: "" }), reference: () => undefined, source: () => undefined },
    base: "",
    env: {},
    readFile: () => Promise.reject(new Error("presets name no files")),
  });
  const { ruleSet, warnings } = compileMapping(files, settings);
  expect(warnings).toEqual([]);
  return ruleSet;
}

function mapAll(ruleSet: RuleSet): { readonly one: WorldChannel; readonly mapping: Mapping | undefined }[] {
  return channels.map((one) => ({ one, mapping: ruleSet.map(one.sensor, one.channel) }));
}

/** By the test's own table. Unchanged without a unit. */
function expected({ sim }: WorldChannel, displayValue: number, isConverted: boolean): number | undefined {
  return isConverted ? SIMULATOR_UNITS[sim.displayUnit]?.(displayValue) : displayValue;
}

test("the list of presets matches the folder", async () => {
  const files = await readdir(PRESET_FOLDER);
  expect(files.toSorted()).toEqual(PRESET_NAMES.map((name) => `${name}.yaml`));
});

describe.each(["all", "base-units"] as const)("presets: [%s]", (name) => {
  test("converts the world's values to base units", async () => {
    const ruleSet = await ruleSetOf([name]);
    const seen = new Set<string>();
    for (const { one, mapping } of mapAll(ruleSet)) {
      expect(mapping?.kind).not.toBe("unconverted");
      if (mapping?.kind !== "metric") continue;
      seen.add(mapping.family.name);
      const displayValue = world.lastMeasurement(one.sim, NOW)?.displayValue;
      if (displayValue === undefined || displayValue === null) continue;
      const value = convert(mapping.conversion, displayValue);
      const isConverted = mapping.family.baseUnit !== undefined;
      expect(nearly(value)).toBe(nearly(expected(one, displayValue, isConverted) ?? Number.NaN));
      // Independent: the simulator stores bytes, also for bits.
      const raw = world.lastMeasurement(one.sim, NOW)?.value;
      if (/^bytes/.test(mapping.family.baseUnit ?? "")) expect(nearly(value)).toBe(nearly(raw ?? Number.NaN));
    }
    if (name === "all") return;
    const missing = ruleSet.families.filter((family) => !seen.has(family.name));
    const foreign = missing.filter(({ baseUnit }) => !NOT_SIMULATED.includes(baseUnit ?? ""));
    expect(foreign.map((family) => family.name)).toEqual([]);
  });
});

describe("all presets together", () => {
  test("map every channel with a known unit except counts", async () => {
    const ruleSet = await ruleSetOf(PRESET_NAMES);
    const unmapped = mapAll(ruleSet).filter(({ mapping }) => mapping === undefined);
    expect(new Set(unmapped.map(({ one }) => one.channel.unit))).toEqual(new Set(["#", "", "widgets", "orders/min"]));
  });

  test("come before base-units in any order", async () => {
    const [first, last] = [await ruleSetOf(["base-units", "ping"]), await ruleSetOf(["ping", "base-units"])];
    expect(first.families).toEqual(last.families);
    expect(first.families[0]?.name).toBe("prtg_ping_seconds");
  });

  test("equal the preset all", async () => {
    expect((await ruleSetOf(["all"])).families).toEqual((await ruleSetOf(PRESET_NAMES)).families);
  });

  test("have unique names, also for limits", async () => {
    const { families } = await ruleSetOf(PRESET_NAMES);
    const names = families.flatMap(({ name, limits }) => [name, limits.name]);
    expect(new Set(names).size).toBe(names.length);
  });
});
