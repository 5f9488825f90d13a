import type { Finding } from "./check.ts";

/** One line a finding, in columns. */
export function formatFindings(findings: readonly Finding[]): string {
  const rows = findings.map(({ server, subject, passed, text }) => [server, subject, passed ? "ok" : "FAILED", text]);
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => (row[column] ?? "").length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => oneLine(cell).padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** A server can put anything into its messages. */
function oneLine(text: string): string {
  return text.replace(/\s+/g, " ");
}
