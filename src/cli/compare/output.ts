import { writeFile } from "node:fs/promises";
import { fileFault } from "../../config/reading-files.ts";
import { ExporterError } from "../../errors/exporter-error.ts";
import type { Redactor } from "../../errors/redactor.ts";
import { PRIVATE_FILE } from "../../lib/durable-file.ts";
import { textTable } from "../../lib/printable-text.ts";
import type { Comparison, Differing } from "./compare.ts";
import { nameOf } from "./objects.ts";
import type { FactKind } from "./verdict.ts";

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

interface Row {
  readonly object: string;
  readonly kind: FactKind;
  readonly metric: string;
  readonly served: string;
  readonly own: string;
}

function rowsOf({ differing }: Pick<Comparison, "differing">): Row[] {
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
