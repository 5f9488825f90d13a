import { writeFile } from "node:fs/promises";
import type { CommandContext } from "../../app/context.ts";
import type { Config } from "../../config/load.ts";
import { fileFault } from "../../config/reading-files.ts";
import type { ServerConfig } from "../../config/resolve.ts";
import { describeFault, ExporterError } from "../../errors/exporter-error.ts";
import type { Redactor } from "../../errors/redactor.ts";
import { PRIVATE_FILE } from "../../lib/durable-file.ts";
import { textTable } from "../../lib/printable-text.ts";
import type { Finding } from "../check/step.ts";
import { AGREEMENT, type CompareFlags, randomSeed } from "../flags.ts";
import { type Comparison, compareServer, type Differing, seededRandom } from "./compare.ts";
import { type FactKind, nameOf } from "./verdict.ts";

export interface CheckedServers {
  readonly config: Config;
  /** Servers with failures are skipped. */
  readonly findings: readonly Finding[];
  readonly context: CommandContext;
  readonly signal: AbortSignal;
}

/**
 * Compares the metrics of random objects with their own endpoints and prints the differences.
 * @param count Objects of each server.
 * @returns a finding for each server
 */
export async function compareServers(
  count: number,
  { "compare.seed": seedFlag, "compare.output": output }: CompareFlags,
  { config, findings, context, signal }: CheckedServers,
): Promise<readonly Finding[]> {
  const seed = seedFlag ?? randomSeed(context.random);
  const found: Finding[] = [];
  const compared: ServerComparison[] = [];
  const hasFailed = ({ name }: ServerConfig) =>
    findings.some(({ server, status }) => server === name && status === "FAILED");
  for (const server of config.servers) {
    const base = { server: server.name, subject: AGREEMENT };
    if (hasFailed(server)) {
      found.push({ ...base, status: "skipped", text: "not compared after the failure" });
      continue;
    }
    const onStart = ({ chosen, known }: Comparison) => {
      const seconds = Math.ceil(chosen / server.limits.requestsPerSecond);
      context.print(
        `${server.name}: comparing ${chosen} of ${known} channels and sensors, at least ${seconds} s (--compare.seed ${seed})`,
      );
    };
    const options = { config, count, random: seededRandom(seed), onStart };
    try {
      const comparison = await compareServer(server, options, context, signal);
      compared.push({ server: server.name, comparison });
      found.push({ ...base, ...findingOf(comparison) });
    } catch (error) {
      if (signal.aborted) return found;
      const remedy = error instanceof ExporterError ? { remedy: error.remedy } : {};
      found.push({ ...base, status: "FAILED", text: describeFault(error), ...remedy });
    }
  }
  const table = differenceTable(compared);
  if (table !== "") context.print(`\n${table}`);
  if (output !== undefined) {
    await writeSummary(output, { version: context.build.version, seed, servers: compared }, context.redactor);
    context.print(`${output}: the summary, with ids and values but without names`);
  }
  return found;
}

function findingOf(comparison: Comparison): Pick<Finding, "status" | "text" | "remedy"> {
  const text = summaryText(comparison);
  if (comparison.differing.length > 0) {
    const remedy = "Report the table with the version of the server. This is a bug of the exporter or of the server.";
    return { status: "FAILED", text, remedy };
  }
  if (comparison.notRead > 0 || comparison.agreed === 0) {
    return { status: "warning", text, remedy: "Run it again. It proves only the objects that agree." };
  }
  return { status: "ok", text };
}

/** The file has all of them. */
const MAX_ROWS = 50;

export interface ServerComparison {
  readonly server: string;
  readonly comparison: Comparison;
}

/** Empty without differences. */
export function differenceTable(servers: readonly ServerComparison[]): string {
  const rows = servers.flatMap(({ server, comparison }) =>
    rowsOf(comparison).map(({ object, kind, metric, served, own }) => [server, object, kind, served, own, metric]),
  );
  if (rows.length === 0) return "";
  const table = textTable(
    ["SERVER", "OBJECT", "DIFFERS IN", "/METRICS", "OWN ENDPOINT", "METRIC"],
    rows.slice(0, MAX_ROWS),
  );
  return rows.length > MAX_ROWS ? `${table}and ${rows.length - MAX_ROWS} more\n` : table;
}

function rowsOf({ differing }: Pick<Comparison, "differing">) {
  return differing.flatMap(({ object, differences }) =>
    differences.map(({ kind, metric, served = "none", own = "none" }) => {
      return { object: nameOf(object), kind, metric, served, own };
    }),
  );
}

/** One line for the list of findings. */
export function summaryText({
  chosen,
  known,
  agreed,
  changed,
  notRead,
  failure,
  withheld,
  differing,
}: Comparison): string {
  const parts = [`${agreed} of ${chosen} objects agree (${known} are known)`];
  if (differing.length > 0) parts.push(`${differing.length} differ in ${kindsOf(differing).join(", ")}`);
  if (changed > 0) parts.push(`${changed} changed meanwhile`);
  if (notRead > 0) parts.push(`${notRead} could not be read: ${failure}`);
  if (withheld.size > 0) {
    parts.push(`without value: ${Array.from(withheld, ([reason, count]) => `${count} ${reason}`).join(", ")}`);
  }
  return parts.join("; ");
}

function kindsOf(differing: readonly Differing[]): readonly FactKind[] {
  return [...new Set(differing.flatMap(({ differences }) => differences.map(({ kind }) => kind)))].sort();
}

/** Has ids and values of objects, and no names. @throws ExporterError REPORT_UNWRITABLE */
export async function writeSummary(
  file: string,
  summary: { readonly version: string; readonly seed: number; readonly servers: readonly ServerComparison[] },
  redactor: Redactor,
): Promise<void> {
  const content = {
    exporter: summary.version,
    seed: summary.seed,
    servers: summary.servers.map(({ server, comparison }) => ({ server, ...jsonOf(comparison) })),
  };
  const redact = (_key: string, value: unknown) => (typeof value === "string" ? redactor.redact(value) : value);
  try {
    await writeFile(file, `${JSON.stringify(content, redact, 2)}\n`, { mode: PRIVATE_FILE });
  } catch (error) {
    throw new ExporterError("REPORT_UNWRITABLE", `${file} cannot be written: ${fileFault(error)}`);
  }
}

function jsonOf(comparison: Comparison): object {
  const { known, chosen, agreed, changed, notRead, failure, withheld, differing } = comparison;
  const kinds = Object.groupBy(rowsOf(comparison), ({ kind }) => kind);
  return {
    known_objects: known,
    objects: chosen,
    agree: agreed,
    differ: differing.length,
    changed_meanwhile: changed,
    not_read: notRead,
    failure: failure ?? null,
    without_value: Object.fromEntries(withheld),
    differences_by_kind: Object.fromEntries(Object.entries(kinds).map(([kind, rows]) => [kind, rows.length])),
    differences: rowsOf(comparison).map(({ object, kind, metric, served, own }) => ({
      ...{ object, kind, metrics: served, own_endpoint: own },
      ...(metric !== "" && { metric }),
    })),
  };
}
