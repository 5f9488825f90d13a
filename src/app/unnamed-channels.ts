import { PRESET_NAMES } from "../config/mapping-schema.ts";
import { mapEntry } from "../lib/map-entry.ts";
import { quote } from "../lib/printable-text.ts";
import type { SensorAttributes } from "../mapping/rules/rule.ts";
import type { RuleSet } from "../mapping/rules/rule-set.ts";
import type { TreeNode } from "../model/tree.ts";
import type { ChannelRecord } from "../prtg/records.ts";
import { compilePresets } from "./mapping.ts";

let compiled: Promise<RuleSet> | undefined;

/** All presets, whatever the configuration uses. Compiled once for all servers. */
export function allPresets(): Promise<RuleSet> {
  compiled ??= compilePresets(PRESET_NAMES);
  return compiled;
}

export interface NamedChannel {
  readonly sensor: Pick<TreeNode, "type">;
  readonly channel: Pick<ChannelRecord, "channelId" | "name" | "unit">;
}

/** Every sensor has this channel: the share of time that it was down. */
const DOWNTIME = "-4";
const MAX_NAMES = 20;
const MAX_LENGTH = 60;

/**
 * Names of channels that no preset matches, although presets know the kinds of their sensors: one line for each kind, to be pasted into
 * an issue. No values, paths or devices, which may be confidential.
 */
export function unnamedChannels(rules: RuleSet, channels: readonly NamedChannel[]): readonly string[] {
  const kinds = new Set(rules.rules.flatMap(({ settings }) => settings.match.kind ?? []));
  const found = new Map<string, Set<string>>();
  // The rule set remembers what it found for each of these objects.
  const sensors = new Map<string, SensorAttributes>();
  for (const { sensor, channel } of channels) {
    const { type } = sensor;
    if (!kinds.has(type) || channel.channelId === DOWNTIME) continue;
    const attributes = mapEntry(sensors, type, () => {
      return { type, typeName: "", tags: [], inheritedTags: [], device: "", path: "" };
    });
    if (rules.map(attributes, channel)?.rule.settings.match.channel !== undefined) continue;
    const name = [channel.name, channel.unit].map((text) => quote(text.slice(0, MAX_LENGTH))).join(" in ");
    mapEntry(found, type, () => new Set<string>()).add(name);
  }
  return [...found].map(([type, names]) => `${type}: ${firstOf([...names])}`);
}

function firstOf(names: readonly string[]): string {
  const rest = names.length - MAX_NAMES;
  return `${names.slice(0, MAX_NAMES).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}
