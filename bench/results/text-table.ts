import { limitText, numberText } from "./number-text.ts";
import { isKept, type PartResult } from "./result.ts";

export function partText(result: PartResult): string {
  const rows = result.rows.map(({ name, of, unit, spread, samples, ratio }) => [
    of === undefined ? name : `${name}, ${of}`,
    numberText(spread.median, unit),
    samples === 1 ? "" : `${numberText(spread.minimum, unit)} - ${numberText(spread.maximum, unit)}`,
    samples === 1 ? "" : String(samples),
    ratio === undefined ? "" : numberText(ratio.spread.median, "ratio"),
    ratio === undefined ? "" : ratio.to,
  ]);
  const budgets = result.budgets.map((budget) => [
    isKept(budget) ? "kept" : "BROKEN",
    budget.what,
    numberText(budget.value, budget.unit),
    limitText(budget),
  ]);
  const blocks = [
    `${result.title} (${result.size.toLocaleString("en-US")})`,
    ...columns([["", "median", "spread", "runs", "ratio", "to"], ...rows]),
    ...columns(budgets).map((line) => `  ${line}`),
    ...result.notes.map((note) => `  ${note}`),
  ];
  return `\n${blocks.join("\n")}\n`;
}

/** The first column is text, and the last if there are many. The others are right-aligned. */
function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length)));
  return rows.map((row) =>
    row
      .map((cell, column) =>
        isText(column, row.length) ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join("  ")
      .trimEnd(),
  );
}

function isText(column: number, count: number): boolean {
  return column === 0 || column === count - 1 || (count === 4 && column === 1);
}
