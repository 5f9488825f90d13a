/** The releases that can be played, oldest first. */
export const RELEASE_NAMES = ["24.3", "25.1", "25.4", "26.3"] as const;
export type ReleaseName = (typeof RELEASE_NAMES)[number];

export const NEWEST_RELEASE: ReleaseName = "26.3";

/** `specification`: as the specification writes things. `live`: as live servers were seen to send them. */
export type SpellingName = "specification" | "live";

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

/**
 * The first release whose lists say `UP` for probes, groups and devices. Older live servers say `SUMMED_INFO_UP`. The form was
 * seen, the release is our reading.
 */
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
  const version = VERSIONS[name];
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
