import { isUtf8 } from "node:buffer";

/** An escaped byte beyond ASCII: most queries have none. */
const BEYOND_ASCII = /%[89a-f]/i;
const ESCAPED = /%([0-9a-f]{2})/gi;
const NONE: ReadonlySet<string> = new Set();

/** Parameters whose unescaped value is no UTF-8: `URLSearchParams` would read U+FFFD for the wrong bytes. */
export function namesNotUtf8(search: string): ReadonlySet<string> {
  if (!BEYOND_ASCII.test(search)) return NONE;
  const pairs = search.slice(1).split("&");
  const garbled = pairs.filter((pair) => !isUtf8(bytesOf(pair)));
  return new Set(garbled.flatMap((pair) => [...new URLSearchParams(pair).keys()]));
}

function bytesOf(text: string): Buffer {
  const bytes = text.replace(ESCAPED, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1");
}
