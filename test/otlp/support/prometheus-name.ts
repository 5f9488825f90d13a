/** From its OTLP documentation, for our units. */
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
 * With suffixes, adds unit and `_total` unless the name has them. Compares a rate as a whole.
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
