import type { ErrorCode } from "../errors/catalogue.ts";
import { ExporterError } from "../errors/exporter-error.ts";

export interface ConfigProblem {
  readonly code: ErrorCode;
  /** `prtg.yaml:7:5`, or `environment variable PRTG_URL`. */
  readonly location: string;
  /** Counted from 1. `undefined` for environment variables. */
  readonly line?: number;
  readonly column?: number;
  /** `servers[0].limits.timeout`. Empty for the whole file. */
  readonly key: string;
  readonly text: string;
}

/** More do not help users, and formatting takes time. */
export const MAX_FINDINGS = 50;

/** Remedy for variables, which have no line. */
const WITHOUT_PLACE =
  "Correct the value that the message names. All keys: https://prtg-exporter.github.io/prtg-exporter/configuration";

export class ConfigError extends ExporterError {
  readonly problems: readonly ConfigProblem[];

  /** Number of problems that `problems` omits. */
  readonly more: number;

  constructor(problems: readonly ConfigProblem[], more = 0) {
    const sorted = [...problems].sort(comparePlaces);
    const lines = sorted.slice(0, MAX_FINDINGS).map(formatProblem);
    const others = Math.max(sorted.length - MAX_FINDINGS, 0) + more;
    if (others > 0) lines.push(`and ${others} more`);
    const code = commonCode(sorted);
    const hasPlace = code !== "CONFIG_INVALID" || sorted.some(({ line }) => line !== undefined);
    super(code, lines.join("\n"), hasPlace ? {} : { remedy: WITHOUT_PLACE });
    this.problems = sorted;
    this.more = more;
  }
}

type Placed = Pick<ConfigProblem, "line" | "column" | "key">;

export function comparePlaces(a: Placed, b: Placed): number {
  return (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0) || (a.key < b.key ? -1 : 1);
}

/** `prtg.yaml:7:5: servers[0].limits.timeout: expected ...` */
export function formatProblem({ location, key, text }: Pick<ConfigProblem, "location" | "key" | "text">): string {
  return [location, key, text].filter((part) => part !== "").join(": ");
}

function commonCode(problems: readonly ConfigProblem[]): ErrorCode {
  const codes = new Set(problems.map(({ code }) => code));
  const [first] = codes;
  return first !== undefined && codes.size === 1 ? first : "CONFIG_INVALID";
}
