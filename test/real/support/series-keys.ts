import { seriesKey } from "../../support/expected-series.ts";
import type { Series } from "./promql-client.ts";

/** As on the page, without added labels. */
export function withoutTarget({ labels, points }: Series): [key: string, value: number] {
  const { __name__: name = "", job: _job, instance: _instance, ...own } = labels;
  return [seriesKey(name, own), points[0]?.value ?? Number.NaN];
}

/** Prometheus treats an empty label as absent. */
export function withoutEmpty(key: string): string {
  const [, name = "", labels = ""] = /^(\w+)(.*)$/s.exec(key) ?? [];
  const entries = JSON.parse(labels) as [string, string][];
  return `${name}${JSON.stringify(entries.filter(([, value]) => value !== ""))}`;
}
