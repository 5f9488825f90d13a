import { once } from "node:events";
import { createReadStream, createWriteStream } from "node:fs";
import { createInterface } from "node:readline";

/** A family as the peers of the scrape bench are given it; all of them are gauges. */
export interface DumpedFamily {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  readonly series: { readonly values: readonly string[]; readonly value: number }[];
}

/** Peers count for themselves; ours are no business of theirs. */
const SELF = /^(prtg_exporter|process|nodejs)_/;
const SAMPLE = /^([a-zA-Z_][\w]*)(?:\{(.*)\})? (\S+)$/s;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;
const ESCAPES: Readonly<Record<string, string>> = { "\\n": "\n", '\\"': '"', "\\\\": "\\" };

/**
 * Writes the series of a page as JSON lines that any language reads: an object for a family, then an array of label
 * values and value for each of its series.
 */
export async function dumpSeries(page: Buffer, file: string): Promise<void> {
  const output = createWriteStream(file);
  let help = "";
  let family = "";
  for (const line of linesOf(page)) {
    if (line.startsWith("# HELP ")) help = line.split(" ").slice(3).join(" ");
    const sample = parseSample(line);
    if (sample === undefined || SELF.test(sample.name)) continue;
    const { name, labels, value } = sample;
    let text = "";
    if (name !== family) text = jsonLine({ name, help, labels: labels.map(([label]) => label) });
    family = name;
    text += jsonLine([labels.map(([, label]) => label), value]);
    if (!output.write(text)) await once(output, "drain");
  }
  output.end();
  await once(output, "finish");
}

/** What `dumpSeries` wrote. */
export async function readSeries(file: string): Promise<DumpedFamily[]> {
  const families: DumpedFamily[] = [];
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const read = JSON.parse(line) as Omit<DumpedFamily, "series"> | readonly [readonly string[], string];
    if ("name" in read) families.push({ ...read, series: [] });
    else families.at(-1)?.series.push({ values: read[0], value: Number(read[1].replace("Inf", "Infinity")) });
  }
  return families;
}

export interface DumpedSample {
  readonly name: string;
  readonly labels: readonly (readonly [name: string, value: string])[];
  /** As the page spells it. */
  readonly value: string;
}

/** One line of a page in the text format; undefined where it is no sample. */
export function parseSample(line: string): DumpedSample | undefined {
  const [, name, labels = "", value] = SAMPLE.exec(line) ?? [];
  if (name === undefined || value === undefined) return undefined;
  const pairs = [...labels.matchAll(LABEL)].map(([, label = "", text = ""]) => {
    return [label, text.replaceAll(/\\./g, (pair) => ESCAPES[pair] ?? pair)] as const;
  });
  return { name, labels: pairs, value };
}

/** Some who read lines, Node among them, take these two for the end of one. */
function jsonLine(value: unknown): string {
  return `${JSON.stringify(value).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029")}\n`;
}

function* linesOf(page: Buffer): Generator<string> {
  for (let start = 0; start < page.length; ) {
    const end = page.indexOf(10, start);
    const stop = end < 0 ? page.length : end;
    if (stop > start) yield page.toString("utf8", start, stop);
    start = stop + 1;
  }
}
