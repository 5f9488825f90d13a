import { type Duplex, pipeline } from "node:stream";
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from "node:zlib";

/** The body is not what its `Content-Encoding` says. */
export class DamagedBody extends Error {
  override readonly name = "DamagedBody";
}

/** RFC 8878, 3.1.1.1.2: what every decoder should take. The format allows windows of gigabytes. */
const ZSTD_WINDOW_LOG = 23;
/** Bytes handed on at a time: what a bomb unpacks to is counted at each. */
const CHUNK = { chunkSize: 64 * 1024 };

const DECODERS = new Map<string, (firstByte: number) => Duplex>([
  ["gzip", () => createGunzip(CHUNK)],
  ["x-gzip", () => createGunzip(CHUNK)],
  // RFC 9110 means zlib's format; some servers send it without the head, whose lower half is 8.
  ["deflate", (first) => ((first & 0x0f) === 8 ? createInflate(CHUNK) : createInflateRaw(CHUNK))],
  ["br", () => createBrotliDecompress(CHUNK)],
  ["zstd", () => createZstdDecompress({ ...CHUNK, params: { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG } })],
]);

/** Whether bodies of this `Content-Encoding` can be read; one encoding, or none. */
export function isSupportedEncoding(encoding: string | undefined): boolean {
  return isPlainEncoding(encoding) || DECODERS.has(encoding ?? "");
}

/** Whether a body of this `Content-Encoding` is as it is. */
export function isPlainEncoding(encoding: string | undefined): boolean {
  return encoding === undefined || encoding === "" || encoding === "identity";
}

/**
 * Unpacks a body while it arrives, in small pieces, no faster than they are taken. The caller bounds their sum, and leaves
 * the loop when it has enough.
 * @throws DamagedBody, and what `chunks` throws
 */
export function decodedBody(chunks: AsyncGenerator<Buffer>, encoding: string | undefined): AsyncGenerator<Buffer> {
  const create = isPlainEncoding(encoding) ? undefined : DECODERS.get(encoding ?? "");
  return create === undefined ? chunks : decoded(chunks, encoding, create);
}

async function* decoded(
  chunks: AsyncGenerator<Buffer>,
  encoding: string | undefined,
  create: (firstByte: number) => Duplex,
): AsyncGenerator<Buffer> {
  const first = await chunks.next();
  // No body, as with 204.
  if (first.done === true) return;
  let failure: unknown;
  const source = async function* (): AsyncGenerator<Buffer> {
    try {
      yield first.value;
      yield* chunks;
    } catch (error) {
      failure = error;
      throw error;
    }
  };
  const decoder = create(first.value[0] ?? 0);
  pipeline(source, decoder, () => undefined);
  try {
    for await (const chunk of decoder) if (Buffer.isBuffer(chunk)) yield chunk;
  } catch (cause) {
    throw failure ?? new DamagedBody(`the body is not sound ${encoding}`, { cause });
  } finally {
    decoder.destroy();
    await chunks.return(undefined);
  }
}
