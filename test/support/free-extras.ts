import type { Extras } from "../../src/lib/extra-work.ts";

/** Time for everything, whether the test's clock goes on or not. */
export const FREE_EXTRAS: Extras = { acquire: async () => () => undefined, countDeferred: () => undefined };
