import { PRTG_ATTRIBUTES as PRTG } from "../events/event.ts";
import { type KeyColumns, keyColumns, type MetricFamily } from "../mapping/families/family.ts";
import { CHANNEL_LABEL_NAMES, TREE_FAMILIES } from "../mapping/metric-table.ts";
import { limitFamilyName, unitInName } from "../mapping/rules/names.ts";
import { BASE_UNITS, type BaseUnitName } from "../mapping/units/base-units.ts";
import { statusFacts } from "../prtg/status.ts";
import type { PushedFamily } from "./metric-data.ts";
import {
  SEMCONV_ATTRIBUTES as ATTRIBUTES,
  SEMCONV_METRICS as METRICS,
  SEMCONV_ATTRIBUTES,
  SEMCONV_VALUES,
} from "./semantic-conventions.ts";

/* Tables of the profile `otel`: what OpenTelemetry calls the names of the metric table and of the presets. */

/** Labels of the metric table. */
export const LABEL_ATTRIBUTES: Readonly<Record<string, string>> = {
  server: PRTG.serverName,
  version: PRTG.serverVersion,
  id: PRTG.objectId,
  kind: PRTG.objectKind,
  kind_name: PRTG.objectType,
  depends_on_id: PRTG.objectDependsOnId,
  path: PRTG.objectPath,
  latitude: PRTG.objectLatitude,
  longitude: PRTG.objectLongitude,
  priority: PRTG.objectPriority,
  tags: PRTG.objectTags,
  favorite: PRTG.objectFavorite,
  probe: PRTG.probeName,
  group: PRTG.groupName,
  device: PRTG.deviceName,
  device_id: PRTG.deviceId,
  host: ATTRIBUTES.serverAddress,
  sensor: PRTG.sensorName,
  sensor_id: PRTG.sensorId,
  channel: PRTG.channelName,
  channel_id: PRTG.channelId,
  unit: PRTG.channelUnit,
  state: PRTG.channelState,
  limit: PRTG.channelLimit,
  metric: PRTG.channelMetric,
  status: PRTG.statusName,
};

export const LABELS_OF_INFOS: Readonly<Record<string, string>> = { ...LABEL_ATTRIBUTES, kind: PRTG.objectTypeId };

/** Labels in the resource of a device, so that its series do not repeat them. The path of a sensor is its device's path and its name. */
export const DEVICE_LABELS: ReadonlySet<string> = new Set([
  ...["server", "probe", "group", "device", "device_id", "host", "path"],
]);

const { cpuMode, hwLimitType, memoryState, filesystemState, networkIoDirection, pagingState } = SEMCONV_VALUES;

/** An attribute that replaces or extends the labels of a rule. */
export interface ExtraAttribute {
  readonly name: string;
  /** Labels whose values it joins with dots, and replaces. */
  readonly from?: string;
  /** Labels as in `from` that stay. */
  readonly of?: readonly string[];
  /** The same for all series. */
  readonly value?: string;
  /** Replaces values. Others stay as they are. */
  readonly words?: Readonly<Record<string, string>>;
}

/** What a family of a preset means in OpenTelemetry. */
export interface Meaning {
  /** Default: the derived name. */
  readonly metric?: string;
  readonly attributes: readonly ExtraAttribute[];
}

const MOUNTPOINT: ExtraAttribute = { name: ATTRIBUTES.filesystemMountpoint, from: "disk" };
const FREE: ExtraAttribute = { name: ATTRIBUTES.filesystemState, value: filesystemState.free };
const AVAILABLE: ExtraAttribute = { name: ATTRIBUTES.memoryState, value: memoryState.available };
const DIRECTION: ExtraAttribute = {
  name: ATTRIBUTES.networkIoDirection,
  from: "direction",
  words: { in: networkIoDirection.receive, out: networkIoDirection.transmit },
};
const DISK_DIRECTION: ExtraAttribute = { name: ATTRIBUTES.diskIoDirection, from: "operation" };
const MEMORY_USED: ExtraAttribute = { name: ATTRIBUTES.memoryState, value: memoryState.used };
const PAGING_USED: ExtraAttribute = { name: ATTRIBUTES.pagingState, value: pagingState.used };
const HARDWARE: readonly ExtraAttribute[] = [
  { name: ATTRIBUTES.hwId, of: ["sensor_id", "channel_id"] },
  { name: ATTRIBUTES.hwName, of: ["channel"] },
];

/**
 * Rates and counts per scan keep our namespace: the conventions define cumulative counters such as `system.network.io`,
 * and a rate would be taken for one.
 */
export const MEANINGS: Readonly<Record<string, Meaning>> = {
  prtg_cpu_usage_ratio: { metric: METRICS.cpuUtilization, attributes: [] },
  prtg_memory_available_ratio: { metric: METRICS.memoryUtilization, attributes: [AVAILABLE] },
  prtg_cpu_mode_usage_ratio: {
    attributes: [{ name: ATTRIBUTES.cpuMode, from: "mode", words: { user: cpuMode.user, privileged: cpuMode.kernel } }],
  },
  prtg_memory_used_ratio: { metric: METRICS.memoryUtilization, attributes: [MEMORY_USED] },
  prtg_memory_used_bytes: { metric: METRICS.memoryUsage, attributes: [MEMORY_USED] },
  prtg_memory_pagefile_usage_ratio: { metric: METRICS.pagingUtilization, attributes: [PAGING_USED] },
  prtg_memory_swap_used_bytes: { metric: METRICS.pagingUsage, attributes: [PAGING_USED] },
  prtg_memory_available_bytes: { metric: METRICS.memoryUsage, attributes: [AVAILABLE] },
  prtg_memory_size_bytes: { metric: METRICS.memoryLimit, attributes: [] },
  prtg_disk_free_ratio: { metric: METRICS.filesystemUtilization, attributes: [MOUNTPOINT, FREE] },
  prtg_disk_free_bytes: { metric: METRICS.filesystemUsage, attributes: [MOUNTPOINT, FREE] },
  prtg_system_uptime_seconds: { metric: METRICS.systemUptime, attributes: [] },
  prtg_process_cpu_usage_ratio: { metric: METRICS.processCpuUtilization, attributes: [] },
  prtg_process_working_set_bytes: { metric: METRICS.processMemoryUsage, attributes: [] },
  prtg_process_threads: { metric: METRICS.processThreadCount, attributes: [] },
  prtg_process_handles: { metric: METRICS.processHandleCount, attributes: [] },
  prtg_temperature_celsius: { metric: METRICS.hwTemperature, attributes: HARDWARE },
  prtg_fan_speed_rpm: { metric: METRICS.hwFanSpeed, attributes: HARDWARE },
  prtg_power_watts: { metric: METRICS.hwHostPower, attributes: HARDWARE },
  prtg_network_traffic_bytes_per_second: { attributes: [DIRECTION] },
  prtg_disk_io_bytes_per_second: { attributes: [DISK_DIRECTION] },
  prtg_disk_operations_per_second: { attributes: [DISK_DIRECTION] },
  prtg_interface_traffic_bytes_per_second: { attributes: [DIRECTION] },
  prtg_interface_errors: { attributes: [DIRECTION] },
  prtg_interface_discards: { attributes: [DIRECTION] },
  prtg_interface_packets_per_second: { attributes: [DIRECTION] },
  prtg_interface_all_packets_per_second: { attributes: [DIRECTION] },
  prtg_interface_error_packets_per_second: { attributes: [DIRECTION] },
  prtg_interface_discarded_packets_per_second: { attributes: [DIRECTION] },
};

const TEMPERATURE_LIMIT: ExtraAttribute = {
  name: ATTRIBUTES.hwLimitType,
  of: ["limit"],
  words: {
    max_error: hwLimitType.highCritical,
    max_warning: hwLimitType.highDegraded,
    min_warning: hwLimitType.lowDegraded,
    min_error: hwLimitType.lowCritical,
  },
};

const LIMIT_METRICS: Readonly<Record<string, Meaning>> = {
  prtg_temperature_celsius: { metric: METRICS.hwTemperatureLimit, attributes: [TEMPERATURE_LIMIT] },
};

/** Limits have the attributes of what they limit, so that queries can join both. */
const LIMIT_MEANINGS: ReadonlyMap<string, Meaning> = new Map(
  Object.entries(MEANINGS).map(([family, { attributes }]) => {
    const { attributes: extras = [], ...metric } = LIMIT_METRICS[family] ?? {};
    return [limitFamilyName(family), { ...metric, attributes: [...attributes, ...extras] }];
  }),
);

/** The meaning of a family of a preset, or of its limits. */
export function meaningOf(family: string): Meaning | undefined {
  return MEANINGS[family] ?? LIMIT_MEANINGS.get(family);
}

/** Names of families of the preset `base-units`, whose own names are only units. */
export const QUANTITIES: Readonly<Record<string, string>> = {
  amperes: "current",
  bytes: "size",
  bytes_per_second: "throughput",
  celsius: "temperature",
  dbm: "signal_level",
  decibels: "level",
  grams: "mass",
  grams_per_second: "mass_flow",
  hertz: "frequency",
  joules: "energy",
  liters: "volume",
  liters_per_second: "volume_flow",
  lux: "illuminance",
  meters: "length",
  meters_per_second: "speed",
  ohms: "resistance",
  pascals: "pressure",
  per_second: "rate",
  ratio: "share",
  rpm: "rotation",
  seconds: "duration",
  voltamperes: "apparent_power",
  volts: "voltage",
  watts: "power",
};

/** Value of an attribute. `row`: the labels of a series. */
type Source = (row: readonly string[]) => string;

/** Translates a family and the labels of its series. */
export interface Translation {
  readonly family: PushedFamily;
  readonly labels: (row: readonly string[]) => readonly string[];
}

export interface OtelFamily {
  /** `undefined` for families about servers. */
  readonly columns: KeyColumns | undefined;
  /** Names in series whose resource is their device. */
  readonly onDevice: Translation;
  /** Names in all other series. */
  readonly alone: Translation;
}

const BASE_FAMILIES: ReadonlyMap<string, MetricFamily> = new Map(
  Object.values(TREE_FAMILIES).map((family) => [family.name, family]),
);
const INFOS: ReadonlySet<string> = new Set([TREE_FAMILIES.sensorInfo.name, TREE_FAMILIES.deviceInfo.name]);
const MAPPED_LABELS: readonly string[] = ["server", ...CHANNEL_LABEL_NAMES, "limit"];

/** Labels of rules, from tags, and renamed ones keep their names. */
export function otelFamily(family: MetricFamily): OtelFamily {
  const base = BASE_FAMILIES.get(family.name);
  const metric = { ...otelMetric(family.name), help: family.help };
  const translate = (onDevice: boolean): Translation => {
    const attributes = attributesOf(family, base, onDevice);
    const sources = [...attributes.values()];
    return {
      family: { ...metric, labels: [...attributes.keys()] },
      labels: (row) => sources.map((source) => source(row)),
    };
  };
  return { columns: keyColumns(family), onDevice: translate(true), alone: translate(false) };
}

function attributesOf(
  { name: familyName, labels }: MetricFamily,
  base: MetricFamily | undefined,
  onDevice: boolean,
): ReadonlyMap<string, Source> {
  const known = base?.labels ?? MAPPED_LABELS;
  const names = INFOS.has(familyName) ? LABELS_OF_INFOS : LABEL_ATTRIBUTES;
  const extras = meaningOf(familyName)?.attributes ?? [];
  const replaced = new Set(extras.map(({ from }) => from));
  const attributes = new Map<string, Source>();
  for (const [column, label] of labels.entries()) {
    const isOurs = known.includes(label);
    if (replaced.has(label) || (onDevice && isOurs && DEVICE_LABELS.has(label))) continue;
    attributes.set(isOurs ? (names[label] ?? label) : label, (row) => row[column] ?? "");
    if (familyName === TREE_FAMILIES.sensorStatus.name && label === "status") {
      attributes.set(SEMCONV_ATTRIBUTES.hwState, (row) => stateOf(row[column] ?? ""));
    }
  }
  for (const each of extras) {
    const source = sourceOf(each, labels);
    if (source !== undefined) attributes.set(each.name, source);
  }
  return attributes;
}

/** Empty for a status that says nothing about the object. */
function stateOf(status: string): string {
  const state = statusFacts(status)?.hwState;
  return state === undefined ? "" : SEMCONV_VALUES.hwState[state];
}

/** `undefined` if the series lack a label. */
function sourceOf({ from, of = [], value, words }: ExtraAttribute, labels: readonly string[]): Source | undefined {
  if (value !== undefined) return () => value;
  const columns = (from === undefined ? of : [from]).map((label) => labels.indexOf(label));
  if (columns.includes(-1)) return undefined;
  return (row) => {
    const text = columns.map((column) => row[column]).join(".");
    return words?.[text] ?? text;
  };
}

/** The second word of a name, if it is a namespace. */
const NAMESPACES = /^prtg_(?:(server|sensor|channel|node|device|exporter)_)?/;
const UNITS_ALONE = /^prtg_channel_(limit_)?(.+)$/;

/**
 * Name and unit in OpenTelemetry: dots after namespaces, the unit in its own field. Prometheus translates it back to
 * the name of the family, except for names of the conventions.
 */
export function otelMetric(family: string): { readonly name: string; readonly unit: string } {
  const named = unitInName(family);
  const unit = named === undefined ? "" : BASE_UNITS[named].ucum;
  const metric = meaningOf(family)?.metric ?? (named === undefined ? undefined : quantity(family, named));
  if (metric !== undefined) return { name: metric, unit };
  // A share and an amount may measure the same thing, so `ratio` stays in the name.
  const suffix = named === undefined || named === "ratio" ? 0 : BASE_UNITS[named].suffix.length + 1;
  const name = family.slice(0, family.length - suffix);
  return { name: name.replace(NAMESPACES, (_, word) => (word === undefined ? "prtg." : `prtg.${word}.`)), unit };
}

function quantity(family: string, unit: BaseUnitName): string | undefined {
  const [, limit, suffix] = UNITS_ALONE.exec(family) ?? [];
  if (suffix !== BASE_UNITS[unit].suffix) return undefined;
  return `prtg.channel.${QUANTITIES[unit] ?? suffix}${limit === undefined ? "" : "_limit"}`;
}
