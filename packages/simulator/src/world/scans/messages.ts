import type { SimStatus } from "../model.ts";
import type { SensorNode } from "../nodes/nodes.ts";
import type { ScanResult } from "./scan-result.ts";

const FIXED: Readonly<Partial<Record<SimStatus, string>>> = {
  none: "",
  unknown: "No data yet",
  collecting: "Collecting data",
  disconnected: "The probe is not connected",
  pausedbyuser: "Paused by user",
  pausedbydependency: "Paused by parent",
  pausedbyschedule: "Paused by schedule",
  pausedbylicense: "Paused because of the licence",
  pauseduntil: "Paused for a while",
  partialdown: "Down on at least one cluster node",
};

const LIMIT_WORDS = {
  maxError: "above the error limit of",
  maxWarning: "above the warning limit of",
  minWarning: "below the warning limit of",
  minError: "below the error limit of",
} as const;

/** Message of a node that no scan speaks for: paused, unknown. */
export function statusMessage(status: SimStatus): string {
  return FIXED[status] ?? "OK";
}

/** Message of a sensor as its last scan left it. */
export function scanMessage(sensor: SensorNode, result: ScanResult): string {
  const { abnormalChannel, limit, value, status } = result;
  if (abnormalChannel !== undefined && limit !== undefined) {
    const unit = abnormalChannel.displayUnit === "" ? "" : ` ${abnormalChannel.displayUnit}`;
    const shown = `${Math.round(value * 100) / 100}${unit}`;
    return `${shown} (${abnormalChannel.name}) is ${LIMIT_WORDS[limit]} ${abnormalChannel.limits[limit]}${unit}`;
  }
  if (status === "down" || status === "acknowledged") return sensor.spec.noAnswer;
  if (status === "warning") return "The answer came, but it was not complete (code: PE094)";
  if (status === "unusual") return "1 hour interval average is higher than usual at this hour of the week";
  return statusMessage(status);
}
