import { nextTurn } from "../next-turn.ts";

/** Buffers below this size are put together, up to this size. */
const SMALL = 512 * 1_024;

/** The same bytes in fewer buffers: a small one costs writers and readers as many calls as a large one. */
export async function mergeSmall(buffers: readonly Buffer[]): Promise<readonly Buffer[]> {
  const merged: Buffer[] = [];
  let small: Buffer[] = [];
  let length = 0;
  const flush = async () => {
    if (small.length === 1 && small[0] !== undefined) merged.push(small[0]);
    else if (small.length > 1) {
      merged.push(Buffer.concat(small, length));
      await nextTurn();
    }
    small = [];
    length = 0;
  };
  for (const buffer of buffers) {
    if (length + buffer.length > SMALL) await flush();
    if (buffer.length > SMALL) merged.push(buffer);
    else {
      small.push(buffer);
      length += buffer.length;
    }
  }
  await flush();
  return merged;
}
