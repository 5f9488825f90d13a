/** For what happens within milliseconds: the rest is for a busy machine. */
export const PATIENCE = { timeout: 20_000, interval: 20 };
