/** Statuses that ask for the same reaction. */
export const STATUS_GROUPS = ["down", "unknown", "acknowledged", "warning", "paused", "other", "up"] as const;
export type StatusGroup = (typeof STATUS_GROUPS)[number];

interface StatusFacts {
  /**
   * The number that metrics show, journals store and flat tables use as an index. It never changes. A new status takes the
   * next one.
   */
  readonly code: number;
  readonly group: StatusGroup;
  /** What the status proves about the last scan. */
  readonly scan?: "failed" | "worked";
  /** Another object is down, and nobody knows how this one is. */
  readonly isHidden?: true;
  /** A user or a schedule paused the object itself, or an object above it. */
  readonly isOnPurpose?: true;
  /** `hw.state` of OpenTelemetry. Absent if the status says nothing about the object. */
  readonly hwState?: "ok" | "degraded" | "failed";
  /** Sign and text, so that colour is never the only sign. */
  readonly glyph: string;
  readonly text: string;
  /** Words of a sentence. Default: `text` in lower case. */
  readonly words?: string;
  /** Spellings of live servers. */
  readonly aliases?: readonly string[];
}

const DOWN = { group: "down", scan: "failed", hwState: "failed" } as const;
const WARNING = { group: "warning", scan: "worked", hwState: "degraded" } as const;
const PAUSED = { group: "paused", glyph: "‖" } as const;
const ON_PURPOSE = { ...PAUSED, isOnPurpose: true } as const;

/** Tokens of the API, the most urgent first. A disconnected probe comes first, because it hides what is below it. */
const FACTS = {
  disconnected: { code: 6, group: "down", hwState: "failed", glyph: "⊘", text: "Disconnected" },
  down: { code: 5, ...DOWN, glyph: "✕", text: "Down" },
  partialdown: { code: 14, ...DOWN, hwState: "degraded", glyph: "◐", text: "Partially down", aliases: ["downpartial"] },
  // PRTG does not measure the object, which may be down.
  unknown: { code: 1, group: "unknown", glyph: "?", text: "Unknown" },
  warning: { code: 4, ...WARNING, glyph: "!", text: "Warning" },
  unusual: { code: 10, ...WARNING, glyph: "≈", text: "Unusual" },
  acknowledged: {
    code: 13,
    ...DOWN,
    group: "acknowledged",
    glyph: "✎",
    text: "Acknowledged",
    words: "down, acknowledged",
    aliases: ["downacknowledged"],
  },
  up: { code: 3, group: "up", scan: "worked", hwState: "ok", glyph: "✓", text: "Up" },
  pausedbyuser: { code: 7, ...ON_PURPOSE, text: "Paused by user", words: "paused by a user" },
  pauseduntil: {
    code: 12,
    ...ON_PURPOSE,
    text: "Paused until",
    words: "paused until a time",
    aliases: ["pausedbyuseruntil"],
  },
  pausedbydependency: {
    code: 8,
    ...PAUSED,
    isHidden: true,
    text: "Paused by dependency",
    words: "paused by a dependency",
  },
  pausedbyschedule: { code: 9, ...ON_PURPOSE, text: "Paused by schedule", words: "paused by a schedule" },
  pausedbylicense: {
    code: 11,
    ...PAUSED,
    text: "Paused by licence",
    words: "paused by the license",
    aliases: ["pausedbylicence"],
  },
  collecting: { code: 2, group: "other", glyph: "…", text: "Collecting", words: "collecting data" },
  none: { code: 0, group: "other", glyph: "–", text: "No status", words: "without a status" },
} as const satisfies Readonly<Record<string, StatusFacts>>;

export type StatusToken = keyof typeof FACTS;

export const STATUSES: Readonly<Record<StatusToken, StatusFacts>> = FACTS;

/** The most urgent first. */
export const STATUS_ORDER = Object.keys(FACTS) as readonly StatusToken[];

/** By code, so that a code is an index. */
export const STATUS_TOKENS = STATUS_ORDER.toSorted((a, b) => FACTS[a].code - FACTS[b].code);

const SPELLINGS: ReadonlyMap<string, StatusToken> = new Map(
  STATUS_ORDER.flatMap((token) => [token, ...(STATUSES[token].aliases ?? [])].map((spelling) => [spelling, token])),
);

export function statusCode(token: StatusToken): number {
  return FACTS[token].code;
}

/** Spellings of servers that were read before, because each object has some. */
const READ_SPELLINGS = new Map<string, StatusToken>();
const MAX_READ_SPELLINGS = 256;

/** Reads any spelling (`SUMMED_INFO_UP`, `PAUSED_BY_USER`, `up`). */
export function parseStatus(text: string): StatusToken | undefined {
  const known = READ_SPELLINGS.get(text);
  if (known !== undefined) return known;
  const bare = text
    .toLowerCase()
    .replace(/^summed_info_/, "")
    .replaceAll("_", "");
  const token = SPELLINGS.get(bare);
  if (token !== undefined && READ_SPELLINGS.size < MAX_READ_SPELLINGS) READ_SPELLINGS.set(text, token);
  return token;
}

/** Facts of a token of the API. `undefined` for a status of a newer server. */
export function statusFacts(token: string): StatusFacts | undefined {
  return Object.hasOwn(FACTS, token) ? STATUSES[token as StatusToken] : undefined;
}

/** By a user or a schedule, and not because of another object or the license. */
export function isPausedOnPurpose(token: StatusToken): boolean {
  return STATUSES[token].isOnPurpose === true;
}

export function isPaused(token: StatusToken): boolean {
  return STATUSES[token].group === "paused";
}
