/** The simulator's units with simple conversions to base units. */
export const SIMULATOR_UNITS: Readonly<Record<string, (value: number) => number>> = {
  "%": (value) => value / 100,
  msec: (value) => value / 1000,
  µs: (value) => value / 1_000_000,
  s: (value) => value,
  min: (value) => value * 60,
  h: (value) => value * 3600,
  d: (value) => value * 86_400,
  "Mbit/s": (value) => (value * 1_000_000) / 8,
  "kbit/s": (value) => (value * 1000) / 8,
  KByte: (value) => value * 1024,
  Bytes: (value) => value,
  MB: (value) => value * 1024 * 1024,
  MByte: (value) => value * 1024 * 1024,
  GByte: (value) => value * 1024 * 1024 * 1024,
  "KByte/s": (value) => value * 1024,
  "°C": (value) => value,
  "#": (value) => value,
  "#/s": (value) => value,
  V: (value) => value,
  A: (value) => value,
  W: (value) => value,
  Watt: (value) => value,
  kWh: (value) => value * 3_600_000,
  Hz: (value) => value,
  rpm: (value) => value,
  RPM: (value) => value,
  IOPS: (value) => value,
  dBm: (value) => value,
};

export const NOT_SIMULATED = [
  "voltamperes",
  "ohms",
  "decibels",
  "lux",
  "pascals",
  "meters",
  "meters_per_second",
  "grams",
  "grams_per_second",
  "liters",
  "liters_per_second",
];

/** Twelve digits: the last ones depend on the order of operations. */
export function nearly(value: number): string {
  return value.toPrecision(12);
}
