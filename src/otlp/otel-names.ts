import { PRTG_ATTRIBUTES as PRTG } from "../events/event.ts";
import { limitFamilyName } from "../mapping/rules/names.ts";
import {
  SEMCONV_ATTRIBUTES as ATTRIBUTES,
  SEMCONV_METRICS as METRICS,
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

/** In the resource of a device, so its series do not repeat it. The path of a sensor is its device's path and its name. */
export const DEVICE_LABELS: ReadonlySet<string> = new Set([
  ...["server", "probe", "group", "device", "device_id", "host", "path"],
]);

const { cpuMode, hwLimitType, memoryState, filesystemState, networkIoDirection, pagingState } = SEMCONV_VALUES;

/** An attribute that replaces or extends the labels of a rule. */
export interface ExtraAttribute {
  readonly name: string;
  /** Labels whose values it joins with dots, and replaces. */
  readonly from?: string;
  /** As `from`, for labels that stay. */
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

/** Of a family of a preset, or of its limits. */
export function meaningOf(family: string): Meaning | undefined {
  return MEANINGS[family] ?? LIMIT_MEANINGS.get(family);
}

/** For families of the preset `base-units`, whose names are only units. */
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
