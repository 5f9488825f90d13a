import { limitText, numberText } from "./number-text.ts";
import { type BenchResults, type Budget, isKept, type MeasuredPart, type Occasion, type PartResult } from "./result.ts";

/** Budgets in the table of the README: the beginning of their text, and the words of the table. */
const HEADLINES: readonly (readonly [start: string, label: string])[] = [
  ["Processor time a minute, to client_golang", "CPU time a minute, relative to client_golang with the same series"],
  ["Resident memory, to client_golang", "Resident memory, relative to client_golang with the same series"],
  ["A scrape every 15 s", "Scrape, relative to client_golang with the same series"],
  ["A scrape, gzip, to nginx", "Idle scrape with gzip, relative to nginx with the same bytes in a file"],
  ["A scrape, gzip, while", "99th percentile of scrapes with gzip while polls and pushes go on"],
  ["A scrape, gzip, beside calls", "99th percentile of scrapes with gzip while four agents call tools of `/mcp`"],
  [
    "Processor time of a poll of all channels",
    "CPU time of a channel poll, relative to a bare loop of requests and `JSON.parse`",
  ],
  ["The same with the page rendered", "CPU time of a channel poll, rendering and gzip, relative to the same loop"],
  [
    "Processor time until the first",
    "CPU time until the first complete page, relative to the same loop, with a filled compile cache",
  ],
  [
    "Processor time of an OTLP push of measurements, to",
    "CPU time of an OTLP push, relative to the SDK's serializer alone",
  ],
  ["Longest turn of the event loop", "Longest turn of the event loop, relative to parsing one API page"],
  ["Resident memory at 10,000 channels", "Resident memory, 10,000 channels"],
  ["Resident memory at 200,000 channels", "Resident memory, 200,000 channels"],
  ["Growth of the heap", "Growth of the heap over 80 polls with 1 % churn each"],
  ["Processor time with 500 servers", "CPU time with 500 servers, relative to one server with the same channels"],
  ["A scrape with more time series due", "Mean time of a scrape under overload, relative to normal load"],
];

/** Between `<!-- NAME:begin -->` and `<!-- NAME:end -->`. */
export function withBlock(text: string, name: string, content: string): string {
  const begin = `<!-- ${name}:begin -->`;
  const from = text.indexOf(begin);
  const to = text.indexOf(`<!-- ${name}:end -->`, from);
  if (from < 0 || to < 0) return text;
  return `${text.slice(0, from + begin.length)}\n${content}${text.slice(to)}`;
}

/** Block `bench` in README.md. */
export function readmeBlock(results: BenchResults): string {
  const rows: string[][] = [];
  const broken: string[] = [];
  for (const part of results.parts) {
    for (const budget of part.budgets) {
      const [, label] = HEADLINES.find(([start]) => budget.what.startsWith(start)) ?? [];
      const what = `${label ?? budget.what}${part.part === "scale" ? "" : sizeText(part)}`;
      if (label !== undefined) rows.push([what, limitText(budget), measuredText(budget), occasionText(part.occasion)]);
      else if (!isKept(budget)) broken.push(`- ${what}: ${measuredText(budget)} (${limitText(budget)})`);
    }
  }
  const lines = [
    table(["What", "Budget", "Measured", "Date, commit, speed"], rows),
    "Speed: time to parse one page of 3,000 channels. All figures: [bench/results.json](bench/results.json).\n",
    ...(broken.length > 0 ? ["Broken, besides:\n", `${broken.join("\n")}\n`] : []),
  ];
  return lines.join("\n");
}

/** Block `bench-scale` of docs/sizing.md. */
export function scaleBlock(results: BenchResults): string {
  const parts = results.parts.filter(({ part }) => part === "scale").toSorted((a, b) => a.size - b.size);
  const names = [...new Set(parts.flatMap(({ rows }) => rows.map(({ name }) => name)))];
  const rows = parts.map((part) => [
    part.size.toLocaleString("en-US"),
    ...names.map((name) => {
      const row = part.rows.find((candidate) => candidate.name === name);
      return row === undefined ? "" : numberText(row.spread.median, row.unit);
    }),
  ]);
  if (rows.length === 0) return "Not measured yet.\n";
  return `${table(["channels", ...names], rows)}\n${measuredOn(parts)}\n`;
}

/** Block `bench-peers` in README.md. */
export function peersBlock(results: BenchResults): string {
  return subjectsBlock(results, "peers", ({ notes: [given = ""] }) => given.replace(/\.$/, ""));
}

/** Block `bench-servers` of docs/sizing.md. */
export function serversBlock(results: BenchResults): string {
  return subjectsBlock(results, "servers", ({ size }) => `${size.toLocaleString("en-US")} channels on`);
}

/** One line for each subject of a part. */
function subjectsBlock(results: BenchResults, name: string, head: (part: MeasuredPart) => string): string {
  const part = results.parts.find((candidate) => candidate.part === name);
  if (part === undefined) return "Not measured yet.\n";
  const names = [...new Set(part.rows.map((row) => row.name))];
  const rows = [...Map.groupBy(part.rows, ({ of = "" }) => of)].map(([of, own]) => [
    of,
    ...names.map((each) => {
      const row = own.find((candidate) => candidate.name === each);
      return row === undefined ? "" : numberText(row.spread.median, row.unit);
    }),
  ]);
  return `${table([head(part), ...names], rows)}\n${measuredOn([part])}\n`;
}

/** The oldest of them. */
function measuredOn(parts: readonly MeasuredPart[]): string {
  const [first] = parts.map(({ occasion }) => occasion).toSorted((a, b) => (a.date < b.date ? -1 : 1));
  if (first === undefined) return "";
  const { date, commit, cores, processor, node, calibrationMs } = first;
  return [
    `Measured on ${date} at commit ${commit} by \`npm run bench\` on ${cores} cores (${processor}), Node ${node}. One page of`,
    `3,000 channels takes ${numberText(calibrationMs.median, "ms")} to parse there.`,
  ].join("\n");
}

function occasionText({ date, commit, calibrationMs }: Occasion): string {
  return `${date}, ${commit}, ${numberText(calibrationMs.median, "ms")}`;
}

function measuredText(budget: Budget): string {
  const { spread, unit } = budget;
  const range =
    spread === undefined ? "" : ` (${numberText(spread.minimum, unit)} to ${numberText(spread.maximum, unit)})`;
  const text = `${numberText(budget.value, unit)}${range}`;
  return isKept(budget) ? text : `**${text}**, broken`;
}

function sizeText({ size }: PartResult): string {
  return size === 0 ? "" : `, ${size.toLocaleString("en-US")} channels`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return `${[line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n")}\n`;
}
