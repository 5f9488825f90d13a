/** Bytes of a number of double precision, and of one of 32 bits. */
const DOUBLE = 8;
const WORD = 4;

/**
 * Whether `length` bytes of one are those of `other`, which are text without zero bytes. Both have so many bytes there. Compared as
 * numbers: as none of `other` is 0, two are equal only where all their bytes are. Where they are NaN, which no valid UTF-8 is, the
 * answer is no. The last number may begin among bytes that were compared before.
 */
export function areSame(one: DataView, at: number, other: DataView, from: number, length: number): boolean {
  if (length >= DOUBLE) {
    const last = length - DOUBLE;
    for (let next = 0; next < last; next += DOUBLE) {
      if (one.getFloat64(at + next, true) !== other.getFloat64(from + next, true)) return false;
    }
    return one.getFloat64(at + last, true) === other.getFloat64(from + last, true);
  }
  if (length >= WORD) {
    const last = length - WORD;
    if (one.getInt32(at, true) !== other.getInt32(from, true)) return false;
    return one.getInt32(at + last, true) === other.getInt32(from + last, true);
  }
  for (let next = 0; next < length; next++) if (one.getUint8(at + next) !== other.getUint8(from + next)) return false;
  return true;
}
