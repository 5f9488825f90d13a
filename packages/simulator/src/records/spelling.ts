import { NEWEST_RELEASE, type Release, type ReleaseName, releaseOf, type SpellingName } from "../release/release.ts";
import type { SimStatus } from "../world/model.ts";
import type { ObjectKind } from "../world/objects.ts";

export type { SpellingName } from "../release/release.ts";

/** How values are written where the specification and live servers differ. Results are JSON. */
export interface Spelling {
  readonly name: SpellingName;
  readonly release: Release;
  /** Own status of a sensor. */
  status(token: SimStatus): string;
  /** Own status of a probe, group or device. */
  nodeStatus(token: SimStatus): string;
  /** Status of a probe, group or device in a deprecated list. */
  summedStatus(token: SimStatus): string;
  type(kind: ObjectKind): string;
  /** A value within a section. */
  setting(value: string | number | boolean): string;
  /** A point in time, milliseconds since the epoch. */
  timestamp(at: number): string;
}

/** Every status token with the words live servers write it in; the order is the specification's. */
const STATUS_WORDS: Readonly<Record<SimStatus, string>> = {
  none: "none",
  unknown: "unknown",
  collecting: "collecting",
  up: "up",
  warning: "warning",
  down: "down",
  disconnected: "disconnected",
  pausedbyuser: "paused_by_user",
  pausedbydependency: "paused_by_dependency",
  pausedbyschedule: "paused_by_schedule",
  unusual: "unusual",
  pausedbylicense: "paused_by_license",
  pauseduntil: "paused_by_user_until",
  acknowledged: "down_acknowledged",
  partialdown: "down_partial",
};

export const STATUS_TOKENS = Object.keys(STATUS_WORDS) as readonly SimStatus[];

/** The token in words joined by `_`, as fields of a status summary are called on live servers. */
export function statusWords(token: SimStatus): string {
  return STATUS_WORDS[token];
}

const LIVE_STATUS = quoted((token) => STATUS_WORDS[token].toUpperCase());
const LIVE_SUMMED_STATUS = quoted((token) => `SUMMED_INFO_${STATUS_WORDS[token].toUpperCase()}`);
const SPECIFIED_STATUS = quoted((token) => token);

type Forms = Omit<Spelling, "release" | "nodeStatus">;

const SPECIFICATION: Forms = {
  name: "specification",
  status: (token) => SPECIFIED_STATUS[token],
  summedStatus: (token) => SPECIFIED_STATUS[token],
  type: (kind) => `"${kind}"`,
  // "Section values are strings, numbers, integers, booleans, arrays of strings or arrays of integers."
  setting: (value) => JSON.stringify(value),
  // "ISO 8601 in UTC", which allows fractions of a second.
  timestamp: (at) => `"${new Date(at).toISOString()}"`,
};

const LIVE: Forms = {
  name: "live",
  status: (token) => LIVE_STATUS[token],
  summedStatus: (token) => LIVE_SUMMED_STATUS[token],
  // The case of `type` in answers was never seen; references are upper case.
  type: (kind) => `"${kind.toUpperCase()}"`,
  // Every section value is a string on live servers, numbers ("3") and switches ("1") included.
  setting: (value) => JSON.stringify(typeof value === "boolean" ? String(Number(value)) : String(value)),
  timestamp: (at) => `"${new Date(at).toISOString().slice(0, 19)}Z"`,
};

export function spellingOf(name: SpellingName, releaseName: ReleaseName = NEWEST_RELEASE, version?: string): Spelling {
  const forms = name === "live" ? LIVE : SPECIFICATION;
  const played = releaseOf(releaseName, name);
  const release = version === undefined ? played : { ...played, version };
  const nodeStatus = release.prefixesNodeStatus ? forms.summedStatus : forms.status;
  return { ...forms, release, nodeStatus };
}

function quoted(spell: (token: SimStatus) => string): Readonly<Record<SimStatus, string>> {
  return Object.fromEntries(STATUS_TOKENS.map((token) => [token, JSON.stringify(spell(token))])) as Record<
    SimStatus,
    string
  >;
}
