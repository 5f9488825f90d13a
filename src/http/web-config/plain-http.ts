import type { WebConfig } from "./load.ts";

/** Without `--web.config.file`. */
export const PLAIN_HTTP: WebConfig = {
  tls: undefined,
  http2: false,
  headers: [],
  users: new Map(),
  rateLimit: undefined,
};
