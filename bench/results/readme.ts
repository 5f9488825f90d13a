import { limitText, numberText } from "./number-text.ts";
import { type BenchResults, type Budget, isKept, type PartResult } from "./result.ts";

export const FIRST_PAGE = "first complete page, rendered, compressed and read";

/** Budgets that the README shows: the beginning of their text, and the words of the table. Broken budgets are always shown. */
const HEADLINES: readonly (readonly [start: string, label: string])[] = [
  ["A scrape, gzip, to nginx", "Time of a scrape with gzip, relative to nginx serving the same bytes"],
  ["A scrape with gzip, as Prometheus", "Time of a scrape with gzip by prom-client, relative to the exporter"],
  [
    "Processor time of a poll of all channels",
    "CPU time of a channel poll, relative to bare requests and `JSON.parse`",
  ],
  ["The same with the page rendered", "CPU time of a channel poll, rendering and gzip, relative to the same"],
  ["Processor time of an OTLP push of measurements", "CPU time of an OTLP push, relative to the bare serializer"],
  ["Longest turn of the event loop", "Longest turn of the event loop, relative to parsing one API page"],
  ["Resident memory at 10,000 channels", "Resident memory, 10,000 channels"],
  ["Resident memory at 200,000 channels", "Resident memory, 200,000 channels"],
  ["Growth of the heap", "Growth of the heap over 80 polls with 1 % churn each"],
  ["Processor time with 500 servers", "CPU time with 500 servers, relative to one server"],
  ["The slowest scrape", "Slowest scrape with 1 to 500 servers"],
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
  const rows = results.parts.flatMap((part) =>
    part.budgets.flatMap((budget) => {
      const [, label] = HEADLINES.find(([start]) => budget.what.startsWith(start)) ?? [];
      if (label === undefined && isKept(budget)) return [];
      const what = `${label ?? budget.what}${part.part === "scale" ? "" : sizeText(part)}`;
      return [[what, limitText(budget), measuredText(budget)]];
    }),
  );
  const startup = results.parts.find(({ part }) => part === "startup");
  const first = startup?.rows.find(({ name }) => name === FIRST_PAGE);
  const lines = [
    table(["what", "budget", "measured"], rows),
    `${machineText(results)}${first === undefined ? "" : ` The first complete page came after ${numberText(first.spread.median, first.unit)}.`}`,
    "All budgets and figures: [bench/results.json](bench/results.json).\n",
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
  return `${table(["channels", ...names], rows)}\n${machineText(results, parts.at(-1))}\n`;
}

/** Block `bench-servers` of docs/sizing.md. */
export function serversBlock(results: BenchResults): string {
  const part = results.parts.find((candidate) => candidate.part === "servers");
  if (part === undefined) return "Not measured yet.\n";
  const names = [...new Set(part.rows.map(({ name }) => name))];
  const rows = [...Map.groupBy(part.rows, ({ of = "" }) => of)].map(([of, own]) => [
    of,
    ...names.map((name) => {
      const row = own.find((candidate) => candidate.name === name);
      return row === undefined ? "" : numberText(row.spread.median, row.unit);
    }),
  ]);
  const channels = part.size.toLocaleString("en-US");
  return `${table([`${channels} channels on`, ...names], rows)}\n${machineText(results, part)}\n`;
}

/** Includes the calibration: equal machines differ from hour to hour. */
function machineText({ takenOn, cores, processor, node, ...newest }: BenchResults, part?: PartResult): string {
  const { calibrationMs } = part?.calibrationMs === undefined ? newest : { calibrationMs: part.calibrationMs };
  return [
    `Measured on ${takenOn} by \`npm run bench\` on ${cores} cores (${processor}), Node ${node}; one page of`,
    `3,000 channels takes ${numberText(calibrationMs.median, "ms")} to parse there.`,
  ].join("\n");
}

function measuredText(budget: Budget): string {
  const text = numberText(budget.value, budget.unit);
  return isKept(budget) ? text : `**${text}**, broken`;
}

function sizeText({ size }: PartResult): string {
  return size === 0 ? "" : `, ${size.toLocaleString("en-US")} channels`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return `${[line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n")}\n`;
}
