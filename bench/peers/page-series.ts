export interface Family {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  readonly series: { readonly values: readonly string[]; readonly value: number }[];
}

interface Sample {
  readonly name: string;
  readonly labels: readonly (readonly [name: string, value: string])[];
  readonly value: number;
}

/** A peer counts for itself: ours are not its business. */
const SELF = /^(prtg_exporter|process|nodejs)_/;
const SAMPLE = /^([a-zA-Z_][\w]*)(?:\{(.*)\})? (\S+)$/s;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;
const ESCAPES: Readonly<Record<string, string>> = { "\\n": "\n", '\\"': '"', "\\\\": "\\" };

/** The gauges of a page in the text format, without the exporter's metrics about itself. */
export function readSeries(page: Buffer): Family[] {
  const families: Family[] = [];
  let help = "";
  for (const line of linesOf(page)) {
    if (line.startsWith("# HELP ")) help = line.split(" ").slice(3).join(" ");
    const sample = parseSample(line);
    if (sample === undefined || SELF.test(sample.name)) continue;
    const { name, labels, value } = sample;
    if (families.at(-1)?.name !== name)
      families.push({ name, help, labels: labels.map(([label]) => label), series: [] });
    families.at(-1)?.series.push({ values: labels.map(([, label]) => label), value });
  }
  return families;
}

/** One line of a page; undefined where it is no sample. */
export function parseSample(line: string): Sample | undefined {
  const [, name, labels = "", value] = SAMPLE.exec(line) ?? [];
  if (name === undefined || value === undefined) return undefined;
  const pairs = [...labels.matchAll(LABEL)].map(([, label = "", text = ""]) => {
    return [label, text.replaceAll(/\\./g, (pair) => ESCAPES[pair] ?? pair)] as const;
  });
  return { name, labels: pairs, value: Number(value.replace("Inf", "Infinity")) };
}

/** Of a page that may be too long for one string. */
function* linesOf(page: Buffer): Generator<string> {
  for (let start = 0; start < page.length; ) {
    const end = page.indexOf(10, start);
    const stop = end < 0 ? page.length : end;
    if (stop > start) yield page.toString("utf8", start, stop);
    start = stop + 1;
  }
}
