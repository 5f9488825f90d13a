/** Suffixes that Prometheus gives for units, as its documentation of OTLP names them; those of our metrics. */
const SUFFIXES: Readonly<Record<string, string>> = {
  s: "seconds",
  ms: "milliseconds",
  By: "bytes",
  Cel: "celsius",
  W: "watts",
  Hz: "hertz",
  "%": "percent",
  "1": "",
};

/**
 * The name under which Prometheus stores an OTLP metric. With suffixes: unit and `_total` are added where no word of
 * the name says them; the rate part of a unit is compared as a whole, which no word ever is.
 * @see https://prometheus.io/docs/guides/opentelemetry/
 */
export function prometheusName(
  metric: { readonly name: string; readonly unit: string; readonly isCounter: boolean },
  suffixes: boolean,
): string {
  const words = metric.name.split(/[^A-Za-z0-9:]+/).filter((word) => word !== "");
  if (!suffixes) return words.join("_");
  const [main = "", per = ""] = metric.unit.split("/");
  const unit = SUFFIXES[main] ?? main;
  if (unit !== "" && !words.includes(unit)) words.push(unit);
  if (per !== "") words.push("per", (SUFFIXES[per] ?? per).replace(/s$/, ""));
  const last = metric.isCounter ? "total" : metric.unit === "1" ? "ratio" : "";
  return [...words.filter((word) => last === "" || word !== last), ...(last === "" ? [] : [last])].join("_");
}
