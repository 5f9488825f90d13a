import { TREE_FAMILIES } from "../../src/mapping/metric-table.ts";

export const FAMILY = TREE_FAMILIES.channelValue;

/** Label values of the n-th of many channel series, about as long as real ones (some 200 bytes a line). */
export function labelsOf(index: number): string[] {
  const sensor = Math.floor(index / 10);
  const device = Math.floor(sensor / 10);
  const deviceName = `core-sw-${device}.fra.example.net`;
  const sensorName = `SNMP Traffic ${sensor}`;
  return [
    "hq",
    String(2_000 + sensor),
    String(index % 10),
    "Frankfurt",
    "Switches",
    deviceName,
    sensorName,
    `Traffic ${index % 10}`,
    "Mbit/s",
    `Frankfurt/Network/Switches/${deviceName}/${sensorName}`,
  ];
}
