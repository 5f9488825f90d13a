import type { Attributes } from "@opentelemetry/api";

/*
 * Names for scrape and push come from the metric table, so that a receiver that translates OTLP to Prometheus arrives
 * at the names of the scrape.
 */

/**
 * UCUM units by the last word of a metric name: the inverse of Prometheus' table. `ratio` is missing, because its unit
 * "1" would add `_ratio` to any gauge.
 * @see https://github.com/prometheus/otlptranslator
 */
const UNITS: Readonly<Record<string, string>> = {
  days: "d",
  hours: "h",
  minutes: "min",
  seconds: "s",
  milliseconds: "ms",
  microseconds: "us",
  nanoseconds: "ns",
  bytes: "By",
  kibibytes: "KiBy",
  mebibytes: "MiBy",
  gibibytes: "GiBy",
  tebibytes: "TiBy",
  meters: "m",
  volts: "V",
  amperes: "A",
  joules: "J",
  watts: "W",
  grams: "g",
  celsius: "Cel",
  hertz: "Hz",
  percent: "%",
};

/** `prtg_channel_value` is `prtg.channel_value`. */
export function metricName(family: string): string {
  return family.replace("_", ".");
}

/**
 * Set only if a receiver derives the last word of the name from it (before `_total`). Rates have none, because
 * translators would append `per_second` again.
 */
export function metricUnit(family: string): string {
  const words = family.replace(/_total$/, "").split("_");
  const last = words.at(-1) ?? "";
  return words.at(-2) === "per" || !Object.hasOwn(UNITS, last) ? "" : (UNITS[last] ?? "");
}

/** Leaves out empty values, which older versions of Prometheus store as labels. Lone surrogates become U+FFFD. */
export function metricAttributes(names: readonly string[], values: readonly string[]): Attributes {
  const attributes: Attributes = {};
  for (let index = 0; index < names.length; index++) {
    const name = names[index];
    const value = values[index];
    if (name === undefined || value === undefined || value === "") continue;
    attributes[name] = value.isWellFormed() ? value : value.toWellFormed();
  }
  return attributes;
}
