import { RELEASE_TABLE, type ReleaseLine, type Trait } from "./release-table.ts";

/** The releases that can be played, oldest first. */
export const RELEASE_NAMES = ["24.3", "25.1", "25.4", "26.3"] as const;
export type ReleaseName = (typeof RELEASE_NAMES)[number];

export const NEWEST_RELEASE: ReleaseName = "26.3";

/**
 * Year, quarter, running number, build, as the product numbers its releases. The newest is one that was seen; builds of the
 * others are made up.
 */
const VERSIONS: Readonly<Record<ReleaseName, string>> = {
  "24.3": "24.3.102.1403",
  "25.1": "25.1.104.1961",
  "25.4": "25.4.114.1032",
  "26.3": "26.3.122.1665",
};

/** One release, in one spelling. */
export interface Release {
  readonly name: ReleaseName;
  /** What `/version` says. */
  readonly version: string;
  hasOperation(id: string): boolean;
  hasTrait(trait: Trait): boolean;
}

export function releaseOf(name: ReleaseName, spelling: "live" | "specification"): Release {
  const version = VERSIONS[name];
  const number = Number(version.split(".")[2]);
  const applies = (line: ReleaseLine): boolean => line.spelling === undefined || line.spelling === spelling;
  const lines = RELEASE_TABLE.filter(applies);
  const has = ({ from = 0, until = Number.POSITIVE_INFINITY }: ReleaseLine): boolean =>
    from <= number && number < until;
  const operations = lines.flatMap((line) => (line.operations ?? []).map((id) => ({ id, has: has(line) })));
  const missing = new Set(operations.filter((operation) => !operation.has).map(({ id }) => id));
  const traits = new Set(lines.filter(has).flatMap(({ trait }) => trait ?? []));
  return {
    name,
    version,
    hasOperation: (id) => !missing.has(id),
    hasTrait: (trait) => traits.has(trait),
  };
}
