import type { Extras } from "../../src/lib/extra-work.ts";

/** Never limits, even with a stopped clock. */
export const FREE_EXTRAS: Extras = { acquire: async () => () => undefined, countDeferred: () => undefined };
