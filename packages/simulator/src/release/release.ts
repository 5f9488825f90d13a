import releases from "../../data/releases.json" with { type: "json" };

/** Those that can be played. */
export type ReleaseName = keyof typeof releases;

/** Oldest first. */
export const RELEASE_NAMES = Object.keys(releases) as readonly ReleaseName[];

export const OLDEST_RELEASE: ReleaseName = "24.3";
export const NEWEST_RELEASE: ReleaseName = "26.3";

/** `specification`: as the specification writes things. `live`: as live servers were seen to send them. */
export type SpellingName = "specification" | "live";

/** Older live lists say `SUMMED_INFO_UP` for `UP` of nodes. The form was seen, the release is our reading. */
const PLAIN_NODE_STATUS_SINCE = 106;

/** Where something of the contract exists. Without any of these, it exists in all releases and both spellings. */
export interface Availability {
  /** The release that brought it, as the contract writes it: `25.x.112`. */
  readonly since?: string | undefined;
  /** The same for live servers, if they got it later than the specification says. */
  readonly sinceLive?: string | undefined;
  /** The only spelling that has it. */
  readonly spelling?: SpellingName | undefined;
}

/** One release, in one spelling. */
export interface Release {
  readonly name: ReleaseName;
  readonly spelling: SpellingName;
  /** What `/version` says. */
  readonly version: string;
  /** Whether lists of probes, groups and devices say `SUMMED_INFO_UP` for `UP`. */
  readonly prefixesNodeStatus: boolean;
  has(part: Availability): boolean;
}

export function releaseOf(name: ReleaseName, spelling: SpellingName): Release {
  // Year, quarter, running number, build. The newest was seen; builds of the others are made up.
  const version = releases[name];
  const number = releaseNumber(version);
  return {
    name,
    spelling,
    version,
    prefixesNodeStatus: spelling === "live" && number < PLAIN_NODE_STATUS_SINCE,
    has({ since, sinceLive, spelling: only }) {
      const from = spelling === "live" ? (sinceLive ?? since) : since;
      return (only ?? spelling) === spelling && (from === undefined || releaseNumber(from) <= number);
    },
  };
}

/** The third number of a version, which counts all releases: 25.x.112 comes before 25.4.114. */
function releaseNumber(version: string): number {
  return Number(version.split(".")[2]);
}
