/** The worst first. */
export const SERVER_STATES = ["unreachable", "failing", "impaired", "starting", "working"] as const;
export type ServerState = (typeof SERVER_STATES)[number];

export const PARENT_KINDS = ["probe", "group", "device"] as const;
export type ParentKind = (typeof PARENT_KINDS)[number];

/** A disconnected probe comes first, because it hides what is below it. */
export const DOWN_STATUSES = ["disconnected", "down", "partialdown"] as const;
/** PRTG does not measure the object, which may be down. */
export const BLIND_STATUSES = ["unknown"] as const;
export const WARNING_STATUSES = ["warning", "unusual"] as const;
/** Sensors in these statuses need attention, the worst first. An acknowledged sensor already has it. */
export const PROBLEM_STATUSES = [...DOWN_STATUSES, ...BLIND_STATUSES, ...WARNING_STATUSES, "acknowledged"] as const;

/** Tokens of the API, the most urgent first. */
export const STATUS_ORDER: readonly string[] = [
  ...PROBLEM_STATUSES,
  ...["up", "pausedbyuser", "pauseduntil", "pausedbydependency", "pausedbyschedule", "pausedbylicense"],
  ...["collecting", "none"],
];

const PLACES: ReadonlyMap<string, number> = new Map(STATUS_ORDER.map((status, place) => [status, place]));

/** Statuses of newer servers come last. */
export function placeOfStatus(status: string | undefined): number {
  return PLACES.get(status ?? "unknown") ?? STATUS_ORDER.length;
}

/** Groups and devices below a disconnected probe are unknown, which the probe and the sensors say already. */
export function isProblem(kind: string, status: string | undefined): boolean {
  const isKnown = kind === "sensor" || (status ?? "unknown") !== "unknown";
  return isKnown && placeOfStatus(status) < PROBLEM_STATUSES.length;
}
