/** A strictly parsed sample line of the text format. */
export interface ParsedSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: string;
}

/** True for the exporter's own metrics (name or line). */
export function isOwnMetric(name: string): boolean {
  return /^(prtg_exporter_|prtg_up\b|process_|nodejs_)/.test(name);
}

/** @throws Error for an invalid line */
export function parseSample(line: string): ParsedSample {
  const name = /^[A-Za-z_:][A-Za-z0-9_:]*/.exec(line)?.[0];
  if (name === undefined) throw new Error(`no metric name: ${line}`);
  const labels: Record<string, string> = {};
  let position = name.length;
  if (line[position] === "{") {
    position++;
    while (line[position] !== "}") {
      const label = /^([A-Za-z_][A-Za-z0-9_]*)="/.exec(line.slice(position));
      if (label?.[1] === undefined) throw new Error(`no label at ${position}: ${line}`);
      position += label[0].length;
      let value = "";
      for (; line[position] !== '"'; position++) {
        if (position >= line.length) throw new Error(`label value does not end: ${line}`);
        if (line[position] !== "\\") value += line[position];
        else {
          position++;
          const escaped = { "\\": "\\", '"': '"', n: "\n" }[line[position] ?? ""];
          if (escaped === undefined) throw new Error(`unknown escape at ${position}: ${line}`);
          value += escaped;
        }
      }
      if (Object.hasOwn(labels, label[1])) throw new Error(`label ${label[1]} twice: ${line}`);
      labels[label[1]] = value;
      position++;
      if (line[position] === ",") position++;
    }
    position++;
  }
  const value = /^ (\S+)$/.exec(line.slice(position))?.[1];
  if (value === undefined) throw new Error(`no value: ${line}`);
  return { name, labels, value };
}

/** Samples by `name{labels}`. Rejects duplicate series. */
export function parsePage(page: string): Map<string, ParsedSample> {
  const samples = new Map<string, ParsedSample>();
  for (const line of page.split("\n")) {
    if (line === "" || line.startsWith("#")) continue;
    const sample = parseSample(line);
    const key = `${sample.name}${JSON.stringify(Object.entries(sample.labels).sort())}`;
    if (samples.has(key)) throw new Error(`series twice: ${line}`);
    samples.set(key, sample);
  }
  return samples;
}

interface ParsedFamily {
  readonly type: string;
  readonly help: string;
}

/** Declared families of a text page. Rejects duplicates. */
export function parseFamilies(page: string): Map<string, ParsedFamily> {
  const families = new Map<string, ParsedFamily>();
  for (const [, name = "", help = "", typeOf, type = ""] of page.matchAll(
    /^# HELP (\S+) (.*)\n# TYPE (\S+) (\S+)$/gm,
  )) {
    if (typeOf !== name || families.has(name)) throw new Error(`family ${name} is declared wrongly`);
    families.set(name, { type, help: help.replace(/\\(.)/g, (_, escaped) => (escaped === "n" ? "\n" : escaped)) });
  }
  return families;
}
