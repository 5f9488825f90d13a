import { type Duplex, pipeline } from "node:stream";
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from "node:zlib";

export class DamagedBody extends Error {
  override readonly name = "DamagedBody";
}

/** RFC 8878, 3.1.1.1.2: the window that every decoder should support. The format allows gigabytes. */
const ZSTD_WINDOW_LOG = 23;
/** Bytes unpacked at a time. The caller counts each piece, which stops zip bombs. */
const CHUNK = { chunkSize: 64 * 1024 };

const DECODERS = new Map<string, (firstByte: number) => Duplex>([
  ["gzip", () => createGunzip(CHUNK)],
  ["x-gzip", () => createGunzip(CHUNK)],
  // RFC 9110 means the zlib format. Some servers send it without the header, whose lower half is 8.
  ["deflate", (first) => ((first & 0x0f) === 8 ? createInflate(CHUNK) : createInflateRaw(CHUNK))],
  ["br", () => createBrotliDecompress(CHUNK)],
  ["zstd", () => createZstdDecompress({ ...CHUNK, params: { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG } })],
]);

export function isSupportedEncoding(encoding: string | undefined): boolean {
  return encoding === undefined || encoding === "" || encoding === "identity" || DECODERS.has(encoding);
}

/**
 * Unpacks a body with back-pressure. The caller bounds the total.
 * @throws DamagedBody, and the errors of `chunks`
 */
export function decodedBody(chunks: AsyncGenerator<Buffer>, encoding: string | undefined): AsyncGenerator<Buffer> {
  const create = DECODERS.get(encoding ?? "");
  return create === undefined ? chunks : decoded(chunks, encoding, create);
}

async function* decoded(
  chunks: AsyncGenerator<Buffer>,
  encoding: string | undefined,
  create: (firstByte: number) => Duplex,
): AsyncGenerator<Buffer> {
  const first = await chunks.next();
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
    throw failure ?? new DamagedBody(`the body is not valid ${encoding}`, { cause });
  } finally {
    decoder.destroy();
    await chunks.return(undefined);
  }
}
