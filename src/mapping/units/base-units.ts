export interface BaseUnit {
  /** Suffix of metric names in this unit. */
  readonly suffix: string;
  /** UCUM code. */
  readonly ucum: string;
}

/** Prometheus base units, else SI units. Keys are the names in rules. */
export const BASE_UNITS = {
  amperes: { suffix: "amperes", ucum: "A" },
  bytes: { suffix: "bytes", ucum: "By" },
  bytes_per_second: { suffix: "bytes_per_second", ucum: "By/s" },
  celsius: { suffix: "celsius", ucum: "Cel" },
  count: { suffix: "", ucum: "{count}" },
  dbm: { suffix: "dbm", ucum: "{dBm}" },
  decibels: { suffix: "decibels", ucum: "dB" },
  grams: { suffix: "grams", ucum: "g" },
  grams_per_second: { suffix: "grams_per_second", ucum: "g/s" },
  hertz: { suffix: "hertz", ucum: "Hz" },
  joules: { suffix: "joules", ucum: "J" },
  liters: { suffix: "liters", ucum: "L" },
  liters_per_second: { suffix: "liters_per_second", ucum: "L/s" },
  lux: { suffix: "lux", ucum: "lx" },
  meters: { suffix: "meters", ucum: "m" },
  meters_per_second: { suffix: "meters_per_second", ucum: "m/s" },
  ohms: { suffix: "ohms", ucum: "Ohm" },
  pascals: { suffix: "pascals", ucum: "Pa" },
  per_second: { suffix: "per_second", ucum: "/s" },
  ratio: { suffix: "ratio", ucum: "1" },
  rpm: { suffix: "rpm", ucum: "{revolution}/min" },
  seconds: { suffix: "seconds", ucum: "s" },
  voltamperes: { suffix: "voltamperes", ucum: "V.A" },
  volts: { suffix: "volts", ucum: "V" },
  watts: { suffix: "watts", ucum: "W" },
} as const satisfies Readonly<Record<string, BaseUnit>>;

export type BaseUnitName = keyof typeof BASE_UNITS;

export const BASE_UNIT_NAMES = Object.keys(BASE_UNITS) as readonly BaseUnitName[];

/** Base units of `<unit>/s`. */
export const RATES: { readonly [name in BaseUnitName]?: BaseUnitName } = {
  bytes: "bytes_per_second",
  count: "per_second",
  grams: "grams_per_second",
  liters: "liters_per_second",
  meters: "meters_per_second",
};

/** `(value + shift) * times / over + plus`. Two factors, because 9 / 1000 is 0.009 and 9 * 0.001 is not. */
export interface Conversion {
  readonly shift: number;
  readonly times: number;
  readonly over: number;
  readonly plus: number;
}

export const UNCHANGED: Conversion = { shift: 0, times: 1, over: 1, plus: 0 };

export function convert({ shift, times, over, plus }: Conversion, value: number): number {
  return ((value + shift) * times) / over + plus;
}
