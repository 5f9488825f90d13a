import type { SensorNode } from "./nodes.ts";

/** Scans are due at multiples of the interval plus an offset of the sensor's own. */
function offsetMs({ salt, intervalSeconds }: SensorNode): number {
  return (salt % intervalSeconds) * 1000;
}

/** The last moment at or before `at` when a scan of the sensor is due. */
export function lastDue(sensor: SensorNode, at: number): number {
  const interval = sensor.intervalSeconds * 1000;
  const offset = offsetMs(sensor);
  return Math.floor((at - offset) / interval) * interval + offset;
}

/** The first moment at or after `at` when a scan of the sensor is due. */
export function nextDue(sensor: SensorNode, at: number): number {
  const interval = sensor.intervalSeconds * 1000;
  const offset = offsetMs(sensor);
  return Math.ceil((at - offset) / interval) * interval + offset;
}
