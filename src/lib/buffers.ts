/** Buffers below this size are put together, up to this size. Each is memory of its own, which takes time to get. */
const SMALL = 256 * 1_024;

/** The same bytes in fewer buffers: a small one costs writers and readers as many calls as a large one. */
export function mergeSmall(buffers: readonly Buffer[]): readonly Buffer[] {
  const merged: Buffer[] = [];
  let small: Buffer[] = [];
  let length = 0;
  const flush = () => {
    if (small.length > 0) merged.push(small.length === 1 && small[0] !== undefined ? small[0] : Buffer.concat(small));
    small = [];
    length = 0;
  };
  for (const buffer of buffers) {
    if (length + buffer.length > SMALL) flush();
    if (buffer.length > SMALL) merged.push(buffer);
    else {
      small.push(buffer);
      length += buffer.length;
    }
  }
  flush();
  return merged;
}

/** Bytes of all of them together. */
export function totalLength(buffers: readonly Buffer[]): number {
  return buffers.reduce((sum, { length }) => sum + length, 0);
}

/** Frees the memory of a buffer that has its own, at once; it is empty afterwards. */
export function detach({ buffer }: Buffer): void {
  if (buffer instanceof ArrayBuffer && !buffer.detached) buffer.transfer(0);
}
