import { readFileSync } from "node:fs";

export interface BuildInfo {
  readonly version: string;
  /** Git commit of the image. Empty in a clone. */
  readonly revision: string;
}

/** The image sets PRTG_EXPORTER_REVISION. */
export function readBuildInfo(env: NodeJS.ProcessEnv): BuildInfo {
  // Same distance from src/telemetry and dist/telemetry.
  const manifest: unknown = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  const version = typeof manifest === "object" && manifest !== null && "version" in manifest ? manifest.version : "";
  return { version: String(version), revision: env.PRTG_EXPORTER_REVISION ?? "" };
}
