import type { Extras } from "../../src/lib/load/extra-work.ts";

/** Time for everything, whether the test's clock goes on or not. */
export const FREE_EXTRAS: Extras = { ask: async () => ({ end: () => undefined }), deferred: () => undefined };
