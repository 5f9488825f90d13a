export type PageFormat = "text" | "openmetrics";

export interface Sample {
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly value: number;
}

interface Family {
  readonly name: string;
  readonly type: string;
  readonly help: string | undefined;
  readonly unit: string | undefined;
  readonly samples: Sample[];
}

export type Page = ReadonlyMap<string, Family>;

/** Scrapers must reject this page. */
export class PageError extends Error {
  constructor(line: number, complaint: string, text: string) {
    super(`line ${line}: ${complaint}: ${text.slice(0, 200)}`);
    this.name = "PageError";
  }
}

const ENDINGS: Readonly<Record<PageFormat, Readonly<Record<string, readonly string[]>>>> = {
  text: {
    counter: [""],
    gauge: [""],
    untyped: [""],
    histogram: ["_bucket", "_sum", "_count"],
    summary: ["", "_sum", "_count"],
  },
  openmetrics: {
    counter: ["_total", "_created"],
    gauge: [""],
    unknown: [""],
    info: ["_info"],
    histogram: ["_bucket", "_sum", "_count", "_created"],
    summary: ["", "_sum", "_count", "_created"],
  },
};

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"/y;
const NUMBER = /^(?:[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|NaN|[+-]Inf)$/;

/**
 * Strict and independent: Prometheus text format 0.0.4, OpenMetrics 1.0. Families are contiguous, series unique, histograms
 * consistent.
 * @throws PageError
 */
export function parsePage(text: string, format: PageFormat): Page {
  return new Reading(text, format).page();
}

class Reading {
  readonly #lines: readonly string[];
  readonly #format: PageFormat;
  readonly #families = new Map<string, Family>();
  readonly #series = new Set<string>();
  #current: { name: string; type?: string; help?: string; unit?: string; family?: Family } | undefined;
  #line = 0;

  constructor(text: string, format: PageFormat) {
    this.#lines = text.split("\n");
    this.#format = format;
  }

  page(): Page {
    const lines = this.#lines;
    if (lines.at(-1) !== "") this.#fail("the last line has no end", lines.at(-1) ?? "");
    const end = this.#format === "openmetrics" ? lines.length - 2 : lines.length - 1;
    for (this.#line = 0; this.#line < end; this.#line++) this.#read(lines[this.#line] ?? "");
    if (this.#format === "openmetrics" && lines[end] !== "# EOF") this.#fail("no # EOF at the end", lines[end] ?? "");
    this.#close();
    return this.#families;
  }

  #read(line: string): void {
    if (line.startsWith("# ")) this.#describe(line);
    else this.#sample(line);
  }

  #describe(line: string): void {
    const [, keyword = "", name = "", rest = ""] =
      /^# (HELP|TYPE|UNIT) ([^ ]+)(?: (.*))?$/.exec(line) ?? this.#fail("no comment that is known", line);
    if (NAME.exec(name)?.[0] !== name) this.#fail("no name of a family", line);
    if (this.#current?.name !== name || this.#current.family !== undefined) this.#close();
    if (this.#families.has(name)) this.#fail("the family comes a second time", line);
    this.#current ??= { name };
    const key = keyword.toLowerCase() as "help" | "type" | "unit";
    if (this.#current[key] !== undefined) this.#fail(`${keyword} comes a second time`, line);
    if (key === "type" && ENDINGS[this.#format][rest] === undefined) this.#fail("no type that is known", line);
    if (key === "unit" && (this.#format === "text" || !name.endsWith(`_${rest}`)))
      this.#fail("a unit that does not fit", line);
    const helpEscapes = this.#format === "text" ? /\\(?![\\n])/ : /\\(?![\\n"])/;
    if (key === "help" && helpEscapes.test(rest.replaceAll("\\\\", ""))) this.#fail("an unknown escape", line);
    this.#current[key] = rest;
  }

  #sample(line: string): void {
    const name = NAME.exec(line)?.[0] ?? this.#fail("no sample", line);
    let position = name.length;
    const labels = new Map<string, string>();
    if (line[position] === "{") {
      position = this.#labels(line, position + 1, labels);
    }
    const value = line.slice(position + 1);
    if (line[position] !== " " || !NUMBER.test(value)) this.#fail("no value, or more than that", line);
    const family = this.#familyOf(name, line);
    const key = `${name}\n${[...labels]
      .map(([label, text]) => `${label}=${text}`)
      .sort()
      .join("\n")}`;
    if (this.#series.has(key)) this.#fail("the series comes a second time", line);
    this.#series.add(key);
    family.samples.push({ name, labels, value: Number(value.replace("Inf", "Infinity")) });
  }

  /** Returns the position after the brace. */
  #labels(line: string, start: number, labels: Map<string, string>): number {
    let position = start;
    while (line[position] !== "}") {
      LABEL.lastIndex = position;
      const [all = "", name = "", text = ""] = LABEL.exec(line) ?? this.#fail(`no label at ${position}`, line);
      if (labels.has(name)) this.#fail(`the label ${name} comes a second time`, line);
      if (name.startsWith("__") || name === "__name__") this.#fail(`the label ${name} is reserved`, line);
      labels.set(
        name,
        text.replace(/\\(.)/g, (_, escaped: string) => (escaped === "n" ? "\n" : escaped)),
      );
      position += all.length;
      if (line[position] === ",") position++;
      else if (line[position] !== "}") this.#fail(`neither , nor } at ${position}`, line);
    }
    return position + 1;
  }

  #familyOf(name: string, line: string): Family {
    const current = this.#current ?? this.#fail("a sample without a family", line);
    const { type = this.#fail("a family without a type", line), help, unit } = current;
    const endings = ENDINGS[this.#format][type] ?? [];
    if (!endings.some((ending) => current.name + ending === name))
      this.#fail(`a sample that is not of the family ${current.name}`, line);
    if (current.family === undefined) {
      current.family = { name: current.name, type, help, unit, samples: [] };
      this.#families.set(current.name, current.family);
    }
    return current.family;
  }

  #close(): void {
    const { name, type, family } = this.#current ?? {};
    this.#current = undefined;
    if (name === undefined) return;
    if (family === undefined) {
      if (type === undefined) this.#fail("a family without a type", name);
      this.#families.set(name, { name, type: type ?? "", help: undefined, unit: undefined, samples: [] });
    } else if (family.type === "histogram") this.#checkHistogram(family);
  }

  /** Buckets increase and the last one contains everything. */
  #checkHistogram(family: Family): void {
    const byLabels = new Map<string, Map<string, number>>();
    for (const { name, labels, value } of family.samples) {
      const { le, ...others } = Object.fromEntries(labels);
      const key = JSON.stringify(others);
      const group = byLabels.get(key) ?? new Map<string, number>();
      byLabels.set(key, group.set(name.endsWith("_bucket") ? `le ${le}` : name.slice(family.name.length), value));
    }
    for (const [key, group] of byLabels) {
      const buckets = [...group].filter(([part]) => part.startsWith("le "));
      const counts = buckets.map(([, count]) => count);
      const rises = counts.every((count, index) => count >= (counts[index - 1] ?? 0));
      if (!rises || group.get("le +Inf") !== group.get("_count") || !group.has("_sum")) {
        this.#fail("a histogram that does not add up", `${family.name}${key}`);
      }
    }
  }

  #fail(complaint: string, text: string): never {
    throw new PageError(this.#line + 1, complaint, text);
  }
}
