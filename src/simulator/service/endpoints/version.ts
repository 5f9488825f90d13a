import { type Endpoint, jsonReply } from "../endpoint.ts";

/** In the style of the product, which numbers releases `YY.Q.release.build`. */
const RELEASE = "25.4.114.1032";

/** "Version info" has no fields shown anywhere; it is said to hold the version of the core and of the application server. */
export const VERSION: readonly Endpoint[] = [
  {
    operation: "getVersion",
    access: "bearer",
    handle: () => jsonReply(JSON.stringify({ prtg_version: RELEASE, appserver_version: RELEASE })),
  },
];
