import { formatProblem } from "./config-error.ts";
import type { KeyPath, Origin } from "./origin.ts";

/** A name that still works and has a successor. */
export interface DeprecatedName {
  readonly kind: "key" | "flag" | "metric";
  /** As in `api/contract.json`: `servers[].limits.timeout`, `serve --once`, `prtg_up`. */
  readonly name: string;
  /** The release that deprecated it. */
  readonly since: string;
  /** What to do, such as ``use `servers[].limits.wait` ``. */
  readonly use: string;
}

/** Only a later major version can remove a name and its entry. How to deprecate a name: docs/stability.md. */
export const DEPRECATED_NAMES: readonly DeprecatedName[] = [];

/**
 * Warnings with place and successor.
 * @param value The configuration as written.
 */
export function deprecatedKeys(
  value: unknown,
  origin: Pick<Origin, "place">,
  names: readonly DeprecatedName[],
): string[] {
  return names.flatMap(({ kind, name, ...more }) => {
    const paths = kind === "key" ? pathsOf(value, name.split(".")) : [];
    return paths.map((path) => formatProblem({ ...origin.place(path, "key"), text: warning(more) }));
  });
}

/** @param given Flags of the command line, such as `--once`. */
export function deprecatedFlags(
  command: string,
  given: readonly string[],
  names: readonly DeprecatedName[] = DEPRECATED_NAMES,
): string[] {
  return names.flatMap(({ kind, name, ...more }) =>
    given.filter((flag) => kind === "flag" && name === `${command} ${flag}`).map((flag) => `${flag}: ${warning(more)}`),
  );
}

function warning({ since, use }: Pick<DeprecatedName, "since" | "use">): string {
  return `deprecated since ${since}: ${use}`;
}

/** Paths of all values at `servers[]`, `limits`, `timeout`. */
function pathsOf(value: unknown, [step, ...rest]: readonly string[], path: KeyPath = []): KeyPath[] {
  if (step === undefined) return [path];
  const key = step.replace(/\[\]$/, "");
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return [];
  const inside: unknown = Reflect.get(value, key);
  const at = [...path, key];
  if (key === step || rest.length === 0) return pathsOf(inside, rest, at);
  return Array.isArray(inside) ? inside.flatMap((item, index) => pathsOf(item, rest, [...at, index])) : [];
}
