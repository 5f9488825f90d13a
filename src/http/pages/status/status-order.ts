/** The worst first. */
export const SERVER_STATES = ["unreachable", "failing", "impaired", "starting", "working"] as const;
export type ServerState = (typeof SERVER_STATES)[number];

export const DOWN_STATUSES = ["down", "partialdown", "disconnected"] as const;
export const WARNING_STATUSES = ["warning", "unusual"] as const;
/** Sensors in these statuses need attention, the worst first. An acknowledged sensor already has it. */
export const PROBLEM_STATUSES = [...DOWN_STATUSES, ...WARNING_STATUSES, "acknowledged"] as const;

/** Tokens of the API, the most urgent first. */
export const STATUS_ORDER: readonly string[] = [
  ...PROBLEM_STATUSES,
  ...["up", "pausedbyuser", "pauseduntil", "pausedbydependency", "pausedbyschedule", "pausedbylicense"],
  ...["collecting", "unknown", "none"],
];

const PLACES: ReadonlyMap<string, number> = new Map(STATUS_ORDER.map((status, place) => [status, place]));

/** Statuses of newer servers come last. */
export function placeOfStatus(status: string | undefined): number {
  return PLACES.get(status ?? "unknown") ?? STATUS_ORDER.length;
}

export function isProblem(status: string | undefined): boolean {
  return placeOfStatus(status) < PROBLEM_STATUSES.length;
}
