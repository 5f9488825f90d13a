import type { ErrorCode } from "../errors/catalogue.ts";
import { ExporterError } from "../errors/exporter-error.ts";

/** One thing that is wrong with the configuration. */
export interface ConfigProblem {
  readonly code: ErrorCode;
  /** Where it is: `prtg.yaml:7:5`, or `environment variable PRTG_URL`. */
  readonly location: string;
  /** Line and column in the file, both from 1; undefined for environment variables. */
  readonly line?: number;
  readonly column?: number;
  /** Dotted key, as in `servers[0].limits.timeout`; empty for the file as a whole. */
  readonly key: string;
  /** What was expected and what was found; never the value of a secret. */
  readonly text: string;
}

const MAX_SHOWN = 50;

/** Everything that is wrong with a configuration, one line a problem, in the order of the file. */
export class ConfigError extends ExporterError {
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    const sorted = [...problems].sort(
      (a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0) || (a.key < b.key ? -1 : 1),
    );
    const lines = sorted.slice(0, MAX_SHOWN).map(formatProblem);
    if (sorted.length > MAX_SHOWN) lines.push(`and ${sorted.length - MAX_SHOWN} more`);
    super(commonCode(sorted), lines.join("\n"));
    this.problems = sorted;
  }
}

/** `prtg.yaml:7:5: servers[0].limits.timeout: expected ...` */
export function formatProblem({ location, key, text }: ConfigProblem): string {
  return [location, key, text].filter((part) => part !== "").join(": ");
}

function commonCode(problems: readonly ConfigProblem[]): ErrorCode {
  const codes = new Set(problems.map(({ code }) => code));
  const [first] = codes;
  return first !== undefined && codes.size === 1 ? first : "CONFIG_INVALID";
}
