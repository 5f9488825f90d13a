import { sha256Of } from "./digest.ts";

/** Same content, same UUID. */
export function uuidOf(content: string | Buffer): string {
  const sha256 = sha256Of(content);
  const variant = "89ab"[Number.parseInt(sha256[16] ?? "0", 16) % 4];
  return [
    sha256.slice(0, 8),
    sha256.slice(8, 12),
    `5${sha256.slice(13, 16)}`,
    `${variant}${sha256.slice(17, 20)}`,
    sha256.slice(20, 32),
  ].join("-");
}
