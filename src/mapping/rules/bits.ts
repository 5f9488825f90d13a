/* Sets of rules, 32 bits per word: 500 rules are 16 words. */

export type Bits = Uint32Array;

export function noBits(count: number): Bits {
  return new Uint32Array(Math.ceil(count / 32));
}

export function setBit(bits: Bits, index: number): void {
  const word = index >>> 5;
  bits[word] = (bits[word] ?? 0) | (1 << (index & 31));
}

export function hasBit(bits: Bits, index: number): boolean {
  return ((bits[index >>> 5] ?? 0) & (1 << (index & 31))) !== 0;
}

export function unite(target: Bits, bits: Bits): void {
  for (let word = 0; word < target.length; word++) target[word] = (target[word] ?? 0) | (bits[word] ?? 0);
}

export function intersect(target: Bits, bits: Bits): void {
  for (let word = 0; word < target.length; word++) target[word] = (target[word] ?? 0) & (bits[word] ?? 0);
}

/** -1 if there is none. */
export function firstCommon(a: Bits, b: Bits, c: Bits): number {
  for (let word = 0; word < a.length; word++) {
    const common = (a[word] ?? 0) & (b[word] ?? 0) & (c[word] ?? 0);
    // Isolates the lowest bit.
    if (common !== 0) return word * 32 + 31 - Math.clz32(common & -common);
  }
  return -1;
}
