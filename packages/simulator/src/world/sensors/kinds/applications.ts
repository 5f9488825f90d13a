import { bursts, fixed, octets, oneOf, range, rate, whole } from "../curves.ts";
import type { SensorKind } from "../sensor-kind.ts";
import { UNITS } from "../units.ts";
import { cpuCore, WMI_SILENT } from "./servers.ts";

const PERCENT_BOUNDS = [0, 100] as const;

const vmHost: SensorKind = {
  type: "esxserversensorextern",
  typeName: "VMware Host Performance (SOAP)",
  names: ["Host Performance"],
  tags: ["vmware", "esxserversensor"],
  firstNumber: 0,
  channels: [
    {
      name: "CPU usage",
      unit: UNITS.percent,
      curve: range({ low: [6, 18], high: [30, 75] }),
      bounds: PERCENT_BOUNDS,
      limits: { maxWarning: 85, maxError: 95 },
      group: "cpu",
    },
    {
      name: "Memory consumed (%)",
      unit: UNITS.percent,
      curve: range({ low: [45, 60], high: [62, 86], driver: 1 }),
      bounds: PERCENT_BOUNDS,
      limits: { maxWarning: 92, maxError: 97 },
    },
    {
      name: "Network received",
      unit: UNITS.mbit,
      curve: octets(rate({ low: [0.5, 8], high: [60, 900], driver: 2 }), 2),
    },
    {
      name: "Network transmitted",
      unit: UNITS.mbit,
      curve: octets(rate({ low: [0.5, 8], high: [60, 900], driver: 3 }), 3),
    },
    {
      name: "Disk read",
      unit: UNITS.kbytePerSecond,
      curve: rate({ low: [2, 90], high: [2000, 90_000], rhythm: "night", driver: 4 }),
    },
    {
      name: "Disk write",
      unit: UNITS.kbytePerSecond,
      curve: rate({ low: [30, 400], high: [4000, 60_000], driver: 5 }),
    },
    {
      name: "Datastore latency",
      unit: UNITS.msec,
      curve: range({ low: [0, 1], high: [3, 18], driver: 4 }),
      whole: true,
    },
    { name: "Virtual machines powered on", unit: UNITS.count, curve: oneOf([8, 14, 22, 31, 46], 6), whole: true },
    { name: "Power state", unit: UNITS.lookup, curve: fixed(1, 1), whole: true },
  ],
  repeated: {
    templates: [{ name: "CPU {n} usage", unit: UNITS.percent, curve: cpuCore, bounds: PERCENT_BOUNDS }],
    label: String,
    max: 16,
  },
  usual: [6, 9],
  limited: 0.5,
  noAnswer: "Could not connect to the host: 503 Service Unavailable (code: PE246)",
};

const virtualMachine: SensorKind = {
  type: "esxvirtualmachinesensorextern",
  typeName: "VMware Virtual Machine (SOAP)",
  names: ["Virtual Machine vm-{n}"],
  tags: ["vmware", "virtualmachine"],
  firstNumber: 0,
  channels: [
    {
      name: "CPU usage",
      unit: UNITS.percent,
      curve: range({ low: [0.5, 4], high: [8, 70] }),
      bounds: PERCENT_BOUNDS,
      limits: { maxWarning: 88 },
    },
    {
      name: "CPU ready (Percent)",
      unit: UNITS.percent,
      curve: range({ low: [0.05, 0.2], high: [0.4, 4] }),
      bounds: PERCENT_BOUNDS,
    },
    {
      name: "Memory active",
      unit: UNITS.percent,
      curve: range({ low: [4, 12], high: [20, 70], driver: 1 }),
      bounds: PERCENT_BOUNDS,
    },
    {
      name: "Disk read",
      unit: UNITS.kbytePerSecond,
      curve: whole(rate({ low: [1, 20], high: [400, 9000], rhythm: "night", driver: 2 })),
    },
    {
      name: "Disk write",
      unit: UNITS.kbytePerSecond,
      curve: whole(rate({ low: [2, 40], high: [300, 6000], driver: 3 })),
    },
    {
      name: "Network received",
      unit: UNITS.mbit,
      curve: octets(rate({ low: [0.01, 0.4], high: [4, 120], driver: 4 }), 4),
    },
  ],
  usual: [3, 6],
  limited: 0.3,
  noAnswer: "The virtual machine was not found on the host (code: PE247)",
};

const database: SensorKind = {
  type: "wmisqlserver2019",
  typeName: "Microsoft SQL Server 2019",
  names: ["SQL Server MSSQLSERVER General"],
  tags: ["wmisqlserversensor", "database"],
  firstNumber: 0,
  channels: [
    {
      name: "User Connections",
      unit: UNITS.count,
      curve: range({ low: [4, 20], high: [40, 400] }),
      whole: true,
      limits: { maxWarning: 600, maxError: 900 },
    },
    { name: "Batch Requests", unit: UNITS.perSecond, curve: rate({ low: [1, 8], high: [90, 2500] }) },
    {
      name: "Buffer Cache Hit Ratio",
      unit: UNITS.percent,
      curve: range({ low: [99.2, 99.9], high: [96, 99], driver: 1 }),
      bounds: PERCENT_BOUNDS,
      limits: { minWarning: 90, minError: 80 },
    },
    {
      name: "Page Life Expectancy",
      unit: UNITS.seconds,
      curve: range({ low: [9000, 30_000], high: [700, 4000], driver: 2 }),
      whole: true,
    },
    { name: "Lock Waits", unit: UNITS.count, curve: bursts(0.04, 30, 3), whole: true },
    { name: "Execution Time", unit: UNITS.msec, curve: range({ low: [1, 6], high: [14, 120] }) },
  ],
  usual: [3, 6],
  canBeFast: true,
  limited: 0.5,
  noAnswer: WMI_SILENT,
};

export const APPLICATION_KINDS = { vmHost, virtualMachine, database };
