import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

/** A file that pages refer to. Its path changes with its content, so that browsers may keep it for ever. */
export interface Asset {
  readonly path: string;
  readonly contentType: string;
  readonly body: string;
}

export const STYLE = asset("status.css", "text/css; charset=utf-8");
export const SCRIPT = asset("status.js", "text/javascript; charset=utf-8");

function asset(file: string, contentType: string): Asset {
  // `npm run build` puts the files beside the compiled code too.
  const body = readFileSync(new URL(`./assets/${file}`, import.meta.url), "utf8");
  const hash = createHash("sha256").update(body).digest("hex").slice(0, 10);
  return { path: `/assets/${hash}-${file}`, contentType, body };
}
