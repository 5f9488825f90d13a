/**
 * What rules cost when a server is seen for the first time: every channel against 500 rules, beside decoding the pages
 * that the channels came on. Later polls do not ask the rules (bench/mapped-polls.ts).
 */

import { compileRules } from "../../src/mapping/rules/compile.ts";
import type { RuleSettings, SensorAttributes } from "../../src/mapping/rules/rule.ts";
import { decodeChannel } from "../../src/prtg/decode/channel.ts";
import { noProblems } from "../../src/prtg/decode/problems.ts";
import type { SimChannel, SimNode } from "../../src/simulator/world/model.ts";
import { createWorld } from "../../src/simulator/world/world.ts";
import { sensorsOf } from "../processes/simulator.ts";
import type { PartResult } from "../results/result.ts";
import { elapsed, measureInTurns } from "../statistics.ts";
import { benchMappedPolls } from "./mapped-polls.ts";
import type { PartOptions } from "./part.ts";
import { rowsOf } from "./rows.ts";

const DECODING = "decoding the pages";
const PAGE = 3000;
const MEASURED_AT = "2026-03-12T17:55:10Z";

export async function benchMapping({ size, rounds }: PartOptions): Promise<PartResult> {
  const sensors = sensorsOf(size);
  const world = createWorld({ seed: 1, size: { sensors, channels: size }, startedAt: Date.UTC(2026, 2, 12) });
  const channels = world.channels();
  const pages: string[] = [];
  for (let from = 0; from < channels.length; from += PAGE) {
    pages.push(JSON.stringify(channels.slice(from, from + PAGE).map(recordOf)));
  }
  const attributes = channels.map((sim) => ({ sensor: sim.sensor, name: sim.name, unit: sim.displayUnit }));
  const rules = someRules(500);
  const { ruleSet, problems } = compileRules([{ label: "bench", isPreset: false, rules }], { byteUnits: "binary" });
  if (ruleSet === undefined) throw new Error(JSON.stringify(problems));

  const kinds = new Map<string, number>();
  const samples = await measureInTurns(
    {
      [DECODING]: () =>
        elapsed(() => {
          const found = noProblems();
          for (const page of pages) for (const record of JSON.parse(page)) decodeChannel(record, found);
        }),
      "compiling 500 rules": () =>
        elapsed(() => compileRules([{ label: "bench", isPreset: false, rules }], { byteUnits: "binary" })),
      "mapping every channel, first sight": () =>
        elapsed(() => {
          // Sensors that are new to rules, which remember nothing.
          const { ruleSet: fresh } = compileRules([{ label: "bench", isPreset: false, rules }], {
            byteUnits: "binary",
          });
          const nodes = new Map(world.list("sensor").map((sensor) => [sensor, sensorOf(sensor)]));
          kinds.clear();
          for (const { sensor, name, unit } of attributes) {
            const node = nodes.get(sensor);
            const kind = node && (fresh?.map(node, { name, unit })?.kind ?? "none");
            kinds.set(kind ?? "", (kinds.get(kind ?? "") ?? 0) + 1);
          }
        }),
    },
    rounds,
  );
  const outcome = [...kinds].map(([kind, count]) => `${kind} ${count}`).join(", ");
  const measuredAt = Date.parse(MEASURED_AT);
  return {
    part: "mapping",
    size,
    title: "mapping: 500 rules, at first sight and at later polls",
    rows: [
      ...rowsOf(samples, "ms", () => DECODING),
      ...(await benchMappedPolls({ world, pages, measuredAt, rules: ruleSet, rounds })),
    ],
    budgets: [],
    notes: [`What became of the channels: ${outcome}.`],
  };
}

/** Every way to write a rule, most of them for objects that are not there. */
function someRules(count: number): RuleSettings[] {
  return Array.from({ length: count }, (_, index): RuleSettings => {
    const name = `prtg_bench_${index}`;
    const rule = { kind: "metric", name, help: "Bench." } as const;
    switch (index % 8) {
      case 0:
        return { ...rule, match: { kind: [`kind${index}`, "ping"], channel: `Channel ${index}` } };
      case 1:
        return { ...rule, match: { channel: `*${index}*`, base_unit: "count" } };
      case 2:
        return { ...rule, match: { path: `**/Rack ${index}/**`, unit: ["msec", "ms"] } };
      case 3:
        return {
          ...rule,
          match: { path: `/.*(?<site>Site ${index})/.*/`, channel: "/.*(In|Out)/" },
          labels: { site: "$<site>" },
        };
      case 4:
        return { ...rule, match: { device: `/(?<role>[a-z]+)-sw-${index}/` }, labels: { role: "$<role>" } };
      case 5:
        return { ...rule, match: { tags: [`site-${index}`, `team-${index}-*`], channel: "/(?i)traffic.*/" } };
      case 6:
        return {
          ...rule,
          match: { kind_name: "SNMP*", channel: `/Processor (?<core>${index})/` },
          labels: { core: "$<core>" },
        };
      default:
        return { ...rule, name: `${name}_ratio`, unit: "ratio", match: { kind: `*${index % 10}`, base_unit: "ratio" } };
    }
  });
}

function sensorOf(sensor: SimNode): SensorAttributes {
  const names: string[] = [];
  for (let node: SimNode | undefined = sensor; node?.parent !== undefined; node = node.parent) names.unshift(node.name);
  const { type, typeName, tags } = sensor;
  return { type, typeName, tags, inheritedTags: [], device: sensor.parent?.name ?? "", path: names.join("/") };
}

/** As live servers send it. */
function recordOf({ sensor, number, name, displayUnit, unitType }: SimChannel, index: number): object {
  const id = `${sensor.id}.${number}`;
  return {
    id,
    name,
    href: `/api/v2/channels/${id}`,
    kind: "channel",
    type: "CHANNEL",
    basic: { name, displayunit: displayUnit, unittype: unitType },
    last_measurement: {
      timestamp: MEASURED_AT,
      value: index * 1.37,
      display_value: index / 3,
      minimum: 0,
      maximum: index,
      average: index / 5,
      display_volume: null,
    },
    parent: { id: sensor.id, name: sensor.name, type: "REFERENCED_SENSOR", href: `/api/v2/sensors/${sensor.id}` },
  };
}
