/*
 * The parts of OpenTelemetry's semantic conventions that we use. The package asks users of unstable names to copy them.
 * A test compares them with the package.
 */

const VERSION = "1.45.0";

export const SCHEMA_URL = `https://opentelemetry.io/schemas/${VERSION}`;

export const SEMCONV_ATTRIBUTES = {
  serviceInstanceId: "service.instance.id",
  hostName: "host.name",
  serverAddress: "server.address",
  filesystemMountpoint: "system.filesystem.mountpoint",
  filesystemState: "system.filesystem.state",
  memoryState: "system.memory.state",
  pagingState: "system.paging.state",
  diskIoDirection: "disk.io.direction",
  cpuMode: "cpu.mode",
  networkIoDirection: "network.io.direction",
  hwId: "hw.id",
  hwName: "hw.name",
  hwState: "hw.state",
  hwLimitType: "hw.limit_type",
} as const;

export const SEMCONV_METRICS = {
  cpuUtilization: "system.cpu.utilization",
  memoryUtilization: "system.memory.utilization",
  memoryUsage: "system.memory.usage",
  memoryLimit: "system.memory.limit",
  filesystemUtilization: "system.filesystem.utilization",
  filesystemUsage: "system.filesystem.usage",
  systemUptime: "system.uptime",
  pagingUtilization: "system.paging.utilization",
  pagingUsage: "system.paging.usage",
  processCpuUtilization: "process.cpu.utilization",
  processMemoryUsage: "process.memory.usage",
  processThreadCount: "process.thread.count",
  processHandleCount: "process.windows.handle.count",
  hwFanSpeed: "hw.fan.speed",
  hwHostPower: "hw.host.power",
  hwTemperature: "hw.temperature",
  hwTemperatureLimit: "hw.temperature.limit",
} as const;

export const SEMCONV_VALUES = {
  memoryState: { available: "available", used: "used" },
  pagingState: { used: "used" },
  filesystemState: { free: "free" },
  diskIoDirection: { read: "read", write: "write" },
  cpuMode: { user: "user", kernel: "kernel" },
  networkIoDirection: { receive: "receive", transmit: "transmit" },
  hwState: { ok: "ok", degraded: "degraded", failed: "failed" },
  hwLimitType: {
    highCritical: "high.critical",
    highDegraded: "high.degraded",
    lowCritical: "low.critical",
    lowDegraded: "low.degraded",
  },
} as const;
