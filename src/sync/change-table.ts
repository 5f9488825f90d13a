import { textTable } from "../lib/printable-text.ts";
import type { Complaint } from "./coverage.ts";
import type { Change } from "./decide.ts";
import { formatMatcher } from "./matchers.ts";

/**
 * What a round would change, without a line feed at the end.
 * @param unread Names of servers that could not be read.
 */
export function changeTable(
  changes: readonly Change[],
  complaints: readonly Complaint[],
  unread: readonly string[] = [],
): string {
  const rows = [
    ...changes.map((change) => ["would", verbOf(change), ...objectOf(change)]),
    ...complaints.map(({ about, text }) => ["not", "", about, text]),
    ...unread.map((server) => ["unknown", "", server, "the server could not be read"]),
  ];
  if (rows.length === 0) return "PRTG and Alertmanager agree: nothing would change.";
  return textTable(["", "CHANGE", "OF", "BECAUSE"], rows).trimEnd();
}

/** In one line, for logs. */
export function describeChange(change: Change): string {
  return `${verbOf(change)} of ${objectOf(change).join(": ")}`;
}

function verbOf(change: Change): string {
  if (change.kind === "silence") return change.why === "new" ? "create silence" : `${change.why} silence`;
  return change.kind === "expire" ? "expire silence" : `acknowledge for ${change.seconds / 60} min`;
}

function objectOf(change: Change): readonly string[] {
  if (change.kind === "acknowledge") return [`${change.server}/${change.sensorId} ${change.path}`, change.message];
  if (change.kind === "expire") return [change.id, change.why];
  return [change.matchers.map(formatMatcher).join(", "), change.comment];
}
