/** The worst first. */
export const SERVER_STATES = ["unreachable", "failing", "impaired", "starting", "working"] as const;
export type ServerState = (typeof SERVER_STATES)[number];
