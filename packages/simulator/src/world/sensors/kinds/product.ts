import { bursts, falling, fixed, range, uptimeDays } from "../curves.ts";
import type { SensorKind } from "../sensor-kind.ts";
import type { Trend } from "../trend.ts";
import { UNITS } from "../units.ts";

const PERCENT_BOUNDS = [0, 100] as const;
const PROBE_SILENT = "The probe did not answer in time (code: PE018)";

const probeHealth: SensorKind = {
  type: "probestate",
  typeName: "Probe Health",
  names: ["Probe Health"],
  tags: ["prtg", "probestate"],
  firstNumber: 1,
  channels: [
    {
      name: "Health",
      unit: UNITS.percent,
      curve: fixed(100, 100),
      whole: true,
      bounds: PERCENT_BOUNDS,
      limits: { minWarning: 95, minError: 60 },
    },
    {
      name: "Probe CPU Load",
      unit: UNITS.cpu,
      curve: range({ low: [1, 4], high: [6, 35], driver: 1 }),
      whole: true,
      bounds: PERCENT_BOUNDS,
    },
    {
      name: "Available System Memory",
      unit: UNITS.percent,
      curve: range({ low: [60, 72], high: [44, 58], driver: 2 }),
      bounds: PERCENT_BOUNDS,
    },
    { name: "Interval Delay", unit: UNITS.percent, curve: bursts(0.03, 12, 3), whole: true, bounds: PERCENT_BOUNDS },
    { name: "Message Queue", unit: UNITS.count, curve: bursts(0.05, 40, 4), whole: true },
    { name: "Open Requests", unit: UNITS.count, curve: range({ low: [0, 3], high: [8, 60], driver: 5 }), whole: true },
    {
      name: "Data Transfer Delay",
      unit: UNITS.msec,
      curve: range({ low: [0, 1], high: [2, 30], driver: 6 }),
      whole: true,
    },
  ],
  usual: [4, 7],
  limited: 1,
  noAnswer: PROBE_SILENT,
};

const CORE_DISK_LINE: Trend = { days: [30, 90], full: [120, 180], ends: [{ weight: 1, range: [60, 80] }] };

const coreHealth: SensorKind = {
  type: "corestate",
  typeName: "Core Health",
  names: ["Core Health"],
  tags: ["prtg", "corestate"],
  firstNumber: 0,
  channels: [
    {
      name: "Health",
      unit: UNITS.percent,
      curve: fixed(100, 100),
      whole: true,
      bounds: PERCENT_BOUNDS,
      limits: { minWarning: 95, minError: 60 },
    },
    {
      name: "CPU Load",
      unit: UNITS.cpu,
      curve: range({ low: [2, 6], high: [10, 40], driver: 1 }),
      whole: true,
      bounds: PERCENT_BOUNDS,
    },
    { name: "Memory Usage", unit: UNITS.mbyte, curve: range({ low: [900, 1400], high: [1500, 3600], driver: 2 }) },
    {
      name: "Handles",
      unit: UNITS.count,
      curve: range({ low: [2000, 2600], high: [2800, 5200], driver: 2 }),
      whole: true,
    },
    { name: "Threads", unit: UNITS.count, curve: range({ low: [110, 140], high: [150, 240], driver: 2 }), whole: true },
    { name: "Uptime", unit: UNITS.uptime, curve: uptimeDays(14, 60, 3) },
    {
      name: "Free Disk Space",
      unit: UNITS.gbyte,
      curve: falling(CORE_DISK_LINE),
    },
  ],
  usual: [4, 7],
  limited: 1,
  noAnswer: PROBE_SILENT,
};

export const PRODUCT_KINDS = { probeHealth, coreHealth };
