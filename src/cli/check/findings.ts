import { oneLine } from "../../lib/printable-text.ts";

/** `warning`: serve works, but perhaps not as intended. `skipped`: after an earlier failure. */
export type FindingStatus = "ok" | "warning" | "FAILED" | "skipped";

export interface Finding {
  readonly server: string;
  readonly subject: string;
  readonly status: FindingStatus;
  readonly text: string;
  /** `undefined`: nothing to do. */
  readonly remedy?: string;
}

const MAX_STATUS_LENGTH = "warning".length;

export function findingsTable(servers: readonly string[], subjects: readonly string[]): (finding: Finding) => string {
  const serverWidth = widthOf(servers);
  const subjectWidth = widthOf(subjects);
  return ({ server, subject, status, text, remedy }) => {
    const columns = [
      oneLine(server).padEnd(serverWidth),
      subject.padEnd(subjectWidth),
      status.padEnd(MAX_STATUS_LENGTH),
      oneLine(text),
    ];
    return columns.join("  ").concat(remedy === undefined ? "" : ` -> ${oneLine(remedy)}`);
  };
}

export function concludeFindings(findings: readonly Finding[]): string {
  const failed = Map.groupBy(
    findings.filter(({ status }) => status === "FAILED"),
    ({ server }) => server,
  );
  if (failed.size > 0) {
    const servers = [...failed].map(
      ([server, each]) => `${oneLine(server)} (${each.map(({ subject }) => subject).join(", ")})`,
    );
    return `FAILED: ${servers.join("; ")}`;
  }
  return findings.some(({ status }) => status === "warning")
    ? "ok: everything that serve needs works, with the warnings above"
    : "ok: everything that serve needs works";
}

function widthOf(texts: readonly string[]): number {
  return Math.max(0, ...texts.map((text) => oneLine(text).length));
}
