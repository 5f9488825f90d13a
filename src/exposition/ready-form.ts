import { mergeSmall, totalLength } from "./buffers.ts";
import { type DeflatedPart, joinDeflated } from "./deflated.ts";
import type { BodyFormat } from "./format.ts";
import type { ContentEncoding } from "./negotiate.ts";
import { isWhole, type Part, WHOLE } from "./part.ts";

/** Which page is asked for. */
export interface FormKey {
  readonly format: BodyFormat;
  readonly encoding: ContentEncoding;
  readonly part: Part;
}

/** One way in which the page is kept ready: bytes as they go over the wire, without the end. */
export interface Content {
  readonly buffers: readonly Buffer[];
  /** The same compressed; `buffers` are its own then. */
  readonly deflated: DeflatedPart | undefined;
  readonly bytes: number;
  readonly plainBytes: number;
}

export interface ReadyForm {
  readonly key: FormKey;
  /** Version of the store that `content` shows; `OUTDATED` before the first. */
  version: number;
  /** Monotonic. */
  readonly firstAskedAt: number;
  /** Monotonic. */
  askedAt: number;
  content: Content;
}

/** Version of a form that shows an older page than any. */
export const OUTDATED = -1;
/** What Prometheus asks for unless told otherwise. */
export const FIRST_FORM: FormKey = { format: "openmetrics", encoding: "gzip", part: WHOLE };
export const NO_CONTENT: Content = { buffers: [], deflated: undefined, bytes: 0, plainBytes: 0 };

export function nameOf({ format, encoding, part }: FormKey): string {
  return `${format} ${encoding} ${part.index}/${part.count}`;
}

/** Lines of the whole page are those of the page itself. Those of a part are its own: a second copy would double it. */
export function plainContent(buffers: readonly Buffer[], part: Part): Content {
  const bytes = totalLength(buffers);
  return { buffers: isWhole(part) ? mergeSmall(buffers) : buffers, deflated: undefined, bytes, plainBytes: bytes };
}

export function compressedContent(parts: readonly DeflatedPart[]): Content {
  const joined = joinDeflated(parts);
  const deflated = { ...joined, buffers: mergeSmall(joined.buffers) };
  const { buffers, length } = deflated;
  return { buffers, deflated, bytes: totalLength(buffers), plainBytes: length };
}
