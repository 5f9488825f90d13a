import type { Attributes } from "@opentelemetry/api";

/*
 * One vocabulary for scrape and push: what OTLP calls a metric and its attributes is derived from the metric table, so
 * that a receiver that turns OTLP into Prometheus arrives at the name and the labels that a scrape would have given.
 */

/**
 * UCUM units by the last word of a metric's name: the inverse of the table from which Prometheus, and all who share its
 * translator, derive suffixes. `ratio` is missing on purpose: its unit is "1", for which a gauge gets `_ratio` whatever
 * its name.
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

/** `prtg_channel_value` is `prtg.channel_value`: a dot after the first word, which is the namespace. */
export function metricName(family: string): string {
  return family.replace("_", ".");
}

/**
 * The unit of a metric: set only where a receiver derives from it the very word with which the name ends (before
 * `_total`), else empty. Rates have none: translators look for `per_second` as one word, do not find it, and add it
 * once more.
 */
export function metricUnit(family: string): string {
  const words = family.replace(/_total$/, "").split("_");
  const last = words.at(-1) ?? "";
  return words.at(-2) === "per" || !Object.hasOwn(UNITS, last) ? "" : (UNITS[last] ?? "");
}

/**
 * Attributes of a series. An empty label is none in Prometheus, and older versions would store the empty attribute as
 * a label of its own, so it is left out. Lone surrogates, which no encoding can carry, become U+FFFD.
 */
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
