import { createHash } from "node:crypto";

export const TYPES_FILE = "packages/simulator/src/api/contract/api-types.gen.ts";

/** Comparing needs no generator. */
export function contractHash(contract: string): string {
  return createHash("sha256").update(contract).digest("hex");
}

export function withHeader(types: string, hash: string): string {
  return `// Generated from packages/simulator/api/openapi.yaml by \`npm run api\`. sha256: ${hash}\n${types.trimEnd()}\n`;
}

export function recordedHash(types: string): string | undefined {
  return /sha256: ([0-9a-f]{64})\n/.exec(types)?.[1];
}
