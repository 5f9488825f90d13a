import type { McpResult, McpTool } from "../../telemetry/metric-declarations.ts";
import type { StatusSource } from "../pages/status/source.ts";
import type { ConcurrencyLimit } from "../server/concurrency-limit.ts";

export interface McpAccess {
  /** `web.mcp`. A reload can change it. */
  readonly isEnabled: () => boolean;
  /** `web.external_url` */
  readonly externalUrl: () => string | undefined;
  /** Version of the exporter. */
  readonly version: string;
  readonly called: (tool: McpTool, result: McpResult) => void;
  readonly failed: (tool: McpTool, error: unknown) => void;
}

export interface McpSurroundings {
  readonly access: McpAccess;
  /** Of the user. */
  readonly source: StatusSource;
  readonly concurrency: ConcurrencyLimit;
}
