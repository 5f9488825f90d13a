import { asPercent, type Curve, falling, fixed, oneOf, percentOf, range, shared, uptimeDays } from "../curves.ts";
import type { SensorKind } from "../sensor-kind.ts";
import type { Trend } from "../trend.ts";
import { UNITS } from "../units.ts";

const SNMP_SILENT = "No such object (SNMP error # 222)";
export const WMI_SILENT =
  "Connection could not be established (80070776: The object exporter specified was not found -- Host: , User: , Password: **, Domain: ) (code: PE015)";
const SSH_SILENT = "Failed to establish secure connection [11] Unable to connect using SSH (code: PE095)";

const PERCENT_BOUNDS = [0, 100] as const;
const LETTERS = "CDEFGHIJKLMNOPQRSTUVWXYZ";
const drive = (ordinal: number): string => `${LETTERS[(ordinal - 1) % LETTERS.length] ?? "C"}:\\`;

const cpuTotal = range({ low: [1, 8], high: [18, 78] });

/** Each core around the total; a factor of its own, and its own jitter. */
export const cpuCore: Curve = (scan) =>
  shared(cpuTotal)(scan) * range({ low: [0.6, 0.9], high: [1, 1.3], rhythm: "steady", driver: 9 })(scan);

const snmpCpu: SensorKind = {
  type: "snmpcpuload",
  typeName: "SNMP CPU Load",
  names: ["CPU Load"],
  tags: ["cpuloadsensor", "snmpcpuloadsensor"],
  firstNumber: 0,
  channels: [
    {
      name: "Total",
      unit: UNITS.cpu,
      curve: cpuTotal,
      whole: true,
      bounds: PERCENT_BOUNDS,
      limits: { maxWarning: 85, maxError: 95 },
      group: "cpu",
    },
  ],
  repeated: {
    templates: [
      { name: "Processor {n}", unit: UNITS.cpu, curve: cpuCore, whole: true, bounds: PERCENT_BOUNDS, group: "cpu" },
    ],
    label: String,
    max: 32,
  },
  usual: [2, 5],
  canBeFast: true,
  limited: 0.5,
  noAnswer: SNMP_SILENT,
};

const snmpCpuUsage: SensorKind = {
  ...snmpCpu,
  type: "paessler.snmp.cpu_usage_sensor.65",
  typeName: "SNMP CPU Usage",
  names: ["SNMP CPU Usage"],
  tags: ["snmp", "cpu", "cpuusagesensor"],
  firstNumber: 1,
  channels: [
    {
      name: "Usage",
      unit: UNITS.percent,
      curve: cpuTotal,
      bounds: PERCENT_BOUNDS,
      limits: { maxWarning: 80, maxError: 90 },
      group: "cpu",
    },
  ],
};

const memoryTotal = oneOf([4096, 8192, 16_384, 32_768, 65_536, 131_072], 20);
const PAGES_PER_MB = 256;
/** Memory is handed out in pages of 4 KiB. */
const memoryFree: Curve = (scan) =>
  Math.round(percentOf(memoryTotal, range({ low: [55, 75], high: [18, 40], driver: 21 }))(scan) * PAGES_PER_MB) /
  PAGES_PER_MB;

const snmpMemory: SensorKind = {
  type: "snmpmemory",
  typeName: "SNMP Memory",
  names: ["Memory: Physical Memory"],
  tags: ["memory", "memorysensor", "snmpmemorysensor"],
  firstNumber: 0,
  channels: [
    {
      name: "Percent Available Memory",
      unit: UNITS.percent,
      curve: asPercent(memoryFree, memoryTotal),
      bounds: PERCENT_BOUNDS,
      limits: { minWarning: 12, minError: 5 },
      group: "memory",
    },
    { name: "Available Memory", unit: UNITS.mbyte, curve: memoryFree, bounds: [0, 1e7], group: "memory" },
    { name: "Total Memory", unit: UNITS.mbyte, curve: memoryTotal },
  ],
  usual: [2, 3],
  limited: 0.5,
  noAnswer: SNMP_SILENT,
};

const DISK_LINE: Trend = {
  days: [40, 260],
  full: [55, 92],
  ends: [
    { weight: 0.78, range: [14, 40] },
    { weight: 0.17, range: [5.2, 9.5] },
    { weight: 0.05, range: [1, 4.6] },
  ],
};

const diskTotal = oneOf([40, 80, 120, 250, 500, 1000, 2000, 4000], 30);
const diskFree = falling(DISK_LINE);

const diskFreeSensor: SensorKind = {
  type: "wmidiskspace",
  typeName: "WMI Free Disk Space (Multi Disk)",
  names: ["Disk Free"],
  tags: ["diskspacesensor", "wmidiskspacesensor"],
  firstNumber: 0,
  channels: [
    {
      name: "Free Space C:\\",
      unit: UNITS.percent,
      curve: diskFree,
      bounds: PERCENT_BOUNDS,
      limits: { minWarning: 10, minError: 5 },
      group: "disk",
    },
    {
      name: "Free Bytes C:\\",
      unit: UNITS.gbyte,
      curve: percentOf(diskTotal, diskFree),
      bounds: [0, 1e6],
      group: "disk",
    },
  ],
  repeated: {
    templates: [
      { name: "Free Space {n}", unit: UNITS.percent, curve: diskFree, bounds: PERCENT_BOUNDS },
      { name: "Free Bytes {n}", unit: UNITS.gbyte, curve: percentOf(diskTotal, diskFree) },
    ],
    label: (ordinal) => drive(ordinal + 1),
    max: 10,
  },
  usual: [2, 6],
  intervalSeconds: 300,
  limited: 0.8,
  noAnswer: WMI_SILENT,
  trend: { channel: 0, line: DISK_LINE },
};

const systemUptime: SensorKind = {
  type: "wmiuptime",
  typeName: "Windows System Uptime",
  names: ["System Uptime"],
  tags: ["wmiuptimesensor", "uptimesensor"],
  firstNumber: 0,
  channels: [{ name: "System Uptime", unit: UNITS.uptime, curve: uptimeDays(12, 90) }],
  usual: [1, 1],
  limited: 0,
  noAnswer: WMI_SILENT,
};

const process: SensorKind = {
  type: "wmiprocess",
  typeName: "Windows Process",
  names: ["Process: sqlservr.exe", "Process: w3wp.exe", "Process: java.exe", "Process: backupd.exe"],
  tags: ["wmiprocesssensor", "processsensor"],
  firstNumber: 0,
  channels: [
    {
      name: "CPU Usage (Per Instance)",
      unit: UNITS.cpu,
      curve: range({ low: [0, 2], high: [8, 45] }),
      bounds: PERCENT_BOUNDS,
      limits: { maxWarning: 80 },
    },
    { name: "Instances", unit: UNITS.count, curve: oneOf([1, 1, 1, 2, 4], 1), whole: true },
    { name: "Working Set (Total)", unit: UNITS.mbyte, curve: range({ low: [40, 200], high: [300, 4000], driver: 2 }) },
    {
      name: "Private Bytes (Total)",
      unit: UNITS.mbyte,
      curve: range({ low: [60, 240], high: [350, 4600], driver: 2 }),
    },
    {
      name: "Handles (Total)",
      unit: UNITS.count,
      curve: range({ low: [200, 500], high: [700, 3000], driver: 3 }),
      whole: true,
    },
    {
      name: "Threads (Total)",
      unit: UNITS.count,
      curve: range({ low: [10, 40], high: [50, 160], driver: 3 }),
      whole: true,
    },
  ],
  usual: [3, 6],
  limited: 0.2,
  noAnswer: WMI_SILENT,
};

const service: SensorKind = {
  type: "wmiservice",
  typeName: "Windows Service",
  names: [
    "Service: Print Spooler",
    "Service: DNS Client",
    "Service: MSSQLSERVER",
    "Service: W3SVC",
    "Service: Backup Agent",
  ],
  tags: ["wmiservicesensor", "servicesensor"],
  firstNumber: 0,
  channels: [
    { name: "Current State", unit: UNITS.lookup, curve: fixed(4, 4), whole: true },
    { name: "Private Bytes", unit: UNITS.mbyte, curve: range({ low: [8, 30], high: [40, 220], driver: 1 }) },
  ],
  usual: [1, 2],
  limited: 0,
  noAnswer: "Service is not running (code: PE229)",
};

const linuxLoad: SensorKind = {
  type: "sshloadaverage",
  typeName: "SSH Load Average",
  names: ["Load Average"],
  tags: ["loadaveragesensor", "ssh"],
  firstNumber: 1,
  channels: [
    {
      name: "1 Minute",
      unit: UNITS.plain,
      curve: range({ low: [0.02, 0.3], high: [0.8, 6] }),
      bounds: [0, 200],
      limits: { maxWarning: 10, maxError: 20 },
      group: "load",
    },
    {
      name: "5 Minutes",
      unit: UNITS.plain,
      curve: range({ low: [0.05, 0.4], high: [0.7, 5] }),
      bounds: [0, 200],
      group: "load",
    },
    {
      name: "15 Minutes",
      unit: UNITS.plain,
      curve: range({ low: [0.1, 0.4], high: [0.6, 4] }),
      bounds: [0, 200],
      group: "load",
    },
  ],
  usual: [3, 3],
  canBeFast: true,
  limited: 0.4,
  noAnswer: SSH_SILENT,
};

export const SERVER_KINDS = {
  snmpCpu,
  snmpCpuUsage,
  snmpMemory,
  diskFreeSensor,
  systemUptime,
  process,
  service,
  linuxLoad,
};
