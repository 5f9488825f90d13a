import { falling, fixed, meter, mostly, oneOf, percentOf, range, rate, whole } from "../curves.ts";
import type { SensorKind } from "../sensor-kind.ts";
import type { Trend } from "../trend.ts";
import { UNITS } from "../units.ts";

const SNMP_SILENT =
  "No response (check: firewalls, routing, snmp settings of device, IPs, SNMP version, community, passwords etc) (SNMP error # -2003)";
const PERCENT_BOUNDS = [0, 100] as const;

const ups: SensorKind = {
  type: "snmpapchardware",
  typeName: "SNMP APC Hardware",
  names: ["UPS Health"],
  tags: ["ups", "apc", "snmpapchardwaresensor"],
  firstNumber: 0,
  channels: [
    {
      name: "Battery Capacity",
      unit: UNITS.percent,
      curve: range({ low: [100, 100], high: [99, 100], rhythm: "steady" }),
      whole: true,
      bounds: PERCENT_BOUNDS,
      limits: { minWarning: 80, minError: 40 },
    },
    {
      name: "Battery Temperature",
      unit: UNITS.celsius,
      curve: range({ low: [21, 24], high: [25, 31], rhythm: "sun", driver: 1 }),
      whole: true,
      bounds: [-20, 90],
      limits: { maxWarning: 38, maxError: 45 },
    },
    {
      name: "Estimated Runtime",
      unit: UNITS.minutes,
      curve: range({ low: [60, 140], high: [22, 50], driver: 2 }),
      whole: true,
    },
    {
      name: "Output Load",
      unit: UNITS.percent,
      curve: range({ low: [18, 30], high: [35, 62], driver: 2 }),
      whole: true,
      bounds: PERCENT_BOUNDS,
    },
    {
      name: "Input Voltage",
      unit: UNITS.volt,
      curve: range({ low: [226, 229], high: [231, 236], rhythm: "night", driver: 3 }),
    },
    {
      name: "Input Frequency",
      unit: UNITS.hertz,
      curve: range({ low: [49.95, 49.98], high: [50.02, 50.05], rhythm: "steady", driver: 4 }),
    },
    { name: "Output Current", unit: UNITS.ampere, curve: range({ low: [2, 5], high: [6, 14], driver: 2 }) },
    { name: "Battery Status", unit: UNITS.lookup, curve: mostly(2, [1], 0.001, 5), whole: true },
  ],
  usual: [4, 8],
  limited: 0.6,
  noAnswer: SNMP_SILENT,
};

const climate: SensorKind = {
  type: "snmpcustomtable",
  typeName: "SNMP Custom Table",
  names: ["Rack Climate {n}"],
  tags: ["temperature", "climate"],
  firstNumber: 1,
  channels: [
    {
      name: "Temperature",
      unit: UNITS.celsius,
      curve: range({ low: [18, 21], high: [23, 27], rhythm: "sun" }),
      bounds: [-40, 100],
      limits: { maxWarning: 30, maxError: 35, minWarning: 14, minError: 10 },
    },
    {
      name: "Humidity",
      unit: UNITS.percent,
      curve: range({ low: [34, 42], high: [46, 58], rhythm: "sun", driver: 1 }),
      bounds: PERCENT_BOUNDS,
    },
    {
      name: "Temperature",
      unit: UNITS.celsius,
      curve: range({ low: [20, 23], high: [25, 31], rhythm: "sun", driver: 2 }),
    },
    { name: "Door", unit: UNITS.lookup, curve: fixed(0, 0), whole: true },
  ],
  usual: [2, 4],
  canBeFast: true,
  limited: 0.8,
  noAnswer: SNMP_SILENT,
};

const power: SensorKind = {
  type: "modbustcp",
  typeName: "Modbus TCP Custom",
  names: ["Power Meter Feed {n}"],
  tags: ["power", "modbus"],
  firstNumber: 1,
  channels: [
    {
      name: "Active Power",
      unit: UNITS.watt,
      curve: range({ low: [900, 2600], high: [3200, 9000] }),
      limits: { maxWarning: 11_000, maxError: 12_500 },
    },
    { name: "Energy", unit: UNITS.kwh, curve: meter([40, 190]), bounds: [0, 1e9] },
    { name: "Voltage L1", unit: UNITS.volt, curve: range({ low: [226, 229], high: [231, 236], driver: 1 }) },
    { name: "Voltage L2", unit: UNITS.volt, curve: range({ low: [226, 229], high: [231, 236], driver: 2 }) },
    { name: "Voltage L3", unit: UNITS.volt, curve: range({ low: [226, 229], high: [231, 236], driver: 3 }) },
  ],
  usual: [2, 5],
  canBeFast: true,
  limited: 0.5,
  noAnswer: "Modbus: no answer from the station (code: PE018)",
};

const TONER_LINE: Trend = {
  days: [15, 90],
  full: [96, 100],
  ends: [
    { weight: 0.85, range: [11, 25] },
    { weight: 0.12, range: [4, 9] },
    { weight: 0.03, range: [0, 2] },
  ],
};

const printer: SensorKind = {
  type: "snmpprinter",
  typeName: "SNMP Printer",
  names: ["Printer Status"],
  tags: ["printer", "snmpprintersensor"],
  firstNumber: 0,
  channels: [
    {
      name: "Black Cartridge",
      unit: UNITS.percent,
      curve: whole(falling(TONER_LINE)),
      whole: true,
      bounds: PERCENT_BOUNDS,
      limits: { minWarning: 10, minError: 3 },
    },
    { name: "Total Printed Pages", unit: UNITS.count, curve: meter([20, 900], 1), whole: true, bounds: [0, 1e9] },
    { name: "Paper Tray 1", unit: UNITS.lookup, curve: fixed(0, 0), whole: true },
  ],
  repeated: {
    templates: [
      {
        name: "{n} Cartridge",
        unit: UNITS.percent,
        curve: whole(falling(TONER_LINE)),
        whole: true,
        bounds: PERCENT_BOUNDS,
      },
    ],
    label: (ordinal) => ["Cyan", "Magenta", "Yellow"][(ordinal - 1) % 3] ?? "Cyan",
    max: 3,
  },
  usual: [2, 6],
  intervalSeconds: 300,
  limited: 0.7,
  noAnswer: SNMP_SILENT,
  trend: { channel: 0, line: TONER_LINE },
};

const POOL_LINE: Trend = {
  days: [120, 500],
  full: [50, 85],
  ends: [
    { weight: 0.86, range: [16, 35] },
    { weight: 0.11, range: [9, 14] },
    { weight: 0.03, range: [4, 7] },
  ],
};

const INODE_LINE: Trend = { days: [200, 700], full: [88, 99], ends: [{ weight: 1, range: [40, 70] }] };

/** A pool of one of these sizes, in GByte. */
function poolChannels(sizes: readonly [number, ...number[]]): SensorKind["channels"] {
  const free = falling(POOL_LINE);
  const freeBytes = percentOf(oneOf(sizes, 10), free);
  return [
    {
      name: "Free Space",
      unit: UNITS.percent,
      curve: free,
      bounds: PERCENT_BOUNDS,
      limits: { minWarning: 15, minError: 8 },
      group: "disk",
    },
    { name: "Free Bytes", unit: UNITS.gbyte, curve: freeBytes, bounds: [0, 1e7], group: "disk" },
    {
      name: "Read",
      unit: UNITS.kbytePerSecond,
      curve: rate({ low: [10, 300], high: [9000, 300_000], rhythm: "night", driver: 1 }),
    },
    {
      name: "Write",
      unit: UNITS.kbytePerSecond,
      curve: rate({ low: [40, 600], high: [8000, 200_000], rhythm: "night", driver: 2 }),
    },
    { name: "Latency", unit: UNITS.msec, curve: range({ low: [0.2, 0.9], high: [2, 15], rhythm: "night", driver: 1 }) },
  ];
}

const storagePool: SensorKind = {
  type: "snmpsynologylogicaldisk",
  typeName: "SNMP Synology Logical Disk",
  names: ["Volume {n}"],
  tags: ["storage", "disk"],
  firstNumber: 0,
  channels: poolChannels([8000, 20_000, 45_000, 96_000]),
  repeated: {
    templates: [
      {
        name: "Disk {n} Temperature",
        unit: UNITS.celsius,
        curve: range({ low: [28, 33], high: [36, 44], rhythm: "sun", driver: 3 }),
        whole: true,
      },
      { name: "Disk {n} Status", unit: UNITS.lookup, curve: mostly(1, [2], 0.0005, 4), whole: true },
    ],
    label: String,
    max: 12,
  },
  usual: [2, 7],
  limited: 0.8,
  noAnswer: SNMP_SILENT,
  trend: { channel: 0, line: POOL_LINE },
};

/** Disks of a Linux server: the same line, without the lamps of a storage box. */
const linuxDisk: SensorKind = {
  ...storagePool,
  type: "snmplinuxdiskfree",
  typeName: "SNMP Linux Disk Free",
  names: ["Disk Free: /", "Disk Free: /var", "Disk Free: /srv"],
  tags: ["diskspacesensor", "snmplinuxdiskfreesensor"],
  channels: poolChannels([20, 60, 120, 480, 960]),
  repeated: {
    templates: [{ name: "Inodes Free {n}", unit: UNITS.percent, curve: falling(INODE_LINE), bounds: PERCENT_BOUNDS }],
    label: (ordinal) => ["/", "/var", "/srv", "/home", "/opt", "/boot"][ordinal - 1] ?? `/mnt/${ordinal}`,
    max: 12,
  },
};

const datastore: SensorKind = {
  ...storagePool,
  type: "vmwaredatastoreextern",
  typeName: "VMware Datastore (SOAP)",
  names: ["Datastore ssd-{n}"],
  tags: ["vmware", "datastore"],
  repeated: {
    templates: [
      {
        name: "Path {n} Latency",
        unit: UNITS.msec,
        curve: range({ low: [0.2, 0.9], high: [2, 12], rhythm: "night", driver: 3 }),
      },
    ],
    label: String,
    max: 12,
  },
  noAnswer: "Could not connect to the host: 503 Service Unavailable (code: PE246)",
};

export const FACILITY_KINDS = { ups, climate, power, printer, storagePool, linuxDisk, datastore };
