import { readFileSync } from "node:fs";

export interface BuildInfo {
  /** Of package.json. */
  readonly version: string;
  /** Commit that the image was built from; empty from a clone. */
  readonly revision: string;
}

/** What is running; the image sets PRTG_EXPORTER_REVISION. */
export function readBuildInfo(env: NodeJS.ProcessEnv): BuildInfo {
  // Two folders up both from src/telemetry and from dist/telemetry.
  const manifest: unknown = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  const version = typeof manifest === "object" && manifest !== null && "version" in manifest ? manifest.version : "";
  return { version: String(version), revision: env.PRTG_EXPORTER_REVISION ?? "" };
}
