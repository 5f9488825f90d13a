import { createHash } from "node:crypto";

/** SHA-256 in lower case hexadecimal. */
export function sha256Of(content: string | Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}
