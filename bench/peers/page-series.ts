import { parseSample } from "../../test/support/parse-sample.ts";

export interface Family {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  readonly series: { readonly values: readonly string[]; readonly value: number }[];
}

const SELF = /^(prtg_exporter|process|nodejs)_/;

/** Without self-metrics. */
export function readSeries(page: Buffer): Family[] {
  const families: Family[] = [];
  let help = "";
  for (const line of linesOf(page)) {
    if (line.startsWith("# HELP ")) help = line.split(" ").slice(3).join(" ");
    if (line.startsWith("#") || SELF.test(line)) continue;
    const { name, labels, value } = parseSample(line);
    if (families.at(-1)?.name !== name) families.push({ name, help, labels: Object.keys(labels), series: [] });
    families.at(-1)?.series.push({ values: Object.values(labels), value: Number(value.replace("Inf", "Infinity")) });
  }
  return families;
}

/** The page may be too long for one string. */
function* linesOf(page: Buffer): Generator<string> {
  for (let start = 0; start < page.length; ) {
    const end = page.indexOf(10, start);
    const stop = end < 0 ? page.length : end;
    if (stop > start) yield page.toString("utf8", start, stop);
    start = stop + 1;
  }
}
