import { type Endpoint, NO_CONTENT } from "../endpoint.ts";

/** The simulated core is always connected and licensed; `error=503@/health` plays the rest. */
export const HEALTH: readonly Endpoint[] = [{ operation: "getHealth", access: "public", handle: () => NO_CONTENT }];
