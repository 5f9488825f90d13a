/** How a channel's number is shown, and what it is stored as. */
export interface Unit {
  /** As live servers spell it; any text for custom units, and it can be empty. */
  readonly display: string;
  /** Upper-snake unit kind. */
  readonly type: string;
  /** Raw value = display value times this: bytes count in 1024s, bandwidth in 1000s, time in the lowest unit. */
  readonly factor: number;
}

function unit(display: string, type: string, factor = 1): Unit {
  return { display, type, factor };
}

export const UNITS = {
  percent: unit("%", "PERCENT"),
  msec: unit("msec", "TIME_RESPONSE"),
  seconds: unit("s", "TIME_SECONDS"),
  minutes: unit("min", "TIME_SECONDS", 60),
  hours: unit("h", "TIME_HOURS", 3600),
  uptime: unit("d", "TIME_SECONDS", 86_400),
  days: unit("d", "CUSTOM"),
  mbit: unit("Mbit/s", "BYTES_BANDWIDTH", 125_000),
  kbit: unit("kbit/s", "SPEED_NET", 125),
  kbyte: unit("KByte", "BYTES_FILE", 1024),
  mbyte: unit("MB", "BYTES_MEMORY", 1_048_576),
  gbyte: unit("GByte", "BYTES_DISK", 1_073_741_824),
  kbytePerSecond: unit("KByte/s", "SPEED_DISK", 1024),
  mbytePerSecond: unit("MByte/s", "SPEED_DISK", 1_048_576),
  celsius: unit("°C", "TEMPERATURE"),
  count: unit("#", "COUNT"),
  perSecond: unit("#/s", "CUSTOM"),
  cpu: unit("%", "CPU"),
  lookup: unit("", "VALUE_LOOKUP"),
  volt: unit("V", "CUSTOM"),
  ampere: unit("A", "CUSTOM"),
  watt: unit("W", "CUSTOM"),
  kwh: unit("kWh", "CUSTOM"),
  hertz: unit("Hz", "CUSTOM"),
  rpm: unit("rpm", "CUSTOM"),
  dbm: unit("dBm", "CUSTOM"),
  plain: unit("", "CUSTOM"),
  widgets: unit("widgets", "CUSTOM"),
  orders: unit("orders/min", "CUSTOM"),
  microsecond: unit("µs", "CUSTOM"),
  bytes: unit("Bytes", "BYTES_FILE"),
  megabyte: unit("MByte", "BYTES_MEMORY", 1_048_576),
  iops: unit("IOPS", "CUSTOM"),
  power: unit("Watt", "CUSTOM"),
  rotation: unit("RPM", "CUSTOM"),
} as const satisfies Record<string, Unit>;
