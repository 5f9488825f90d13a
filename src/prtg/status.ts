export const STATUS_TOKENS = [
  "none",
  "unknown",
  "collecting",
  "up",
  "warning",
  "down",
  "disconnected",
  "pausedbyuser",
  "pausedbydependency",
  "pausedbyschedule",
  "unusual",
  "pausedbylicense",
  "pauseduntil",
  "acknowledged",
  "partialdown",
] as const;

export type StatusToken = (typeof STATUS_TOKENS)[number];

const CODES: ReadonlyMap<string, number> = new Map(STATUS_TOKENS.map((token, code) => [token, code]));

/** Spellings of live servers. */
const ALIASES: Readonly<Record<string, StatusToken>> = {
  downacknowledged: "acknowledged",
  downpartial: "partialdown",
  pausedbyuseruntil: "pauseduntil",
  pausedbylicence: "pausedbylicense",
};

export function statusCode(token: StatusToken): number {
  return CODES.get(token) ?? 1;
}

/** Reads any spelling (`SUMMED_INFO_UP`, `PAUSED_BY_USER`, `up`). */
export function parseStatus(text: string): StatusToken | undefined {
  const bare = text
    .toLowerCase()
    .replace(/^summed_info_/, "")
    .replaceAll("_", "");
  if (Object.hasOwn(ALIASES, bare)) return ALIASES[bare];
  const code = CODES.get(bare);
  return code === undefined ? undefined : STATUS_TOKENS[code];
}

export function isPaused(token: StatusToken): boolean {
  return token.startsWith("paused");
}
