/** Randomness without state: the same inputs give the same number, in any order of asking. */

/** Mixes two integers into an unsigned 32-bit hash (the finaliser of MurmurHash3, whose bits avalanche well). */
export function mix(a: number, b: number): number {
  let h = Math.imul(a ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(b ^ 0x7f4a7c15, 0xc2b2ae35);
  h ^= h >>> 16;
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  h ^= h >>> 16;
  return h >>> 0;
}

/** Uniform in [0, 1) for a salt and a counter. */
export function uniform(salt: number, counter: number): number {
  return mix(salt, counter) / 0x1_0000_0000;
}

/** Uniform between `low` and `high`. */
export function between(salt: number, counter: number, low: number, high: number): number {
  return low + (high - low) * uniform(salt, counter);
}

/** Uniform integer in [0, count). */
export function below(salt: number, counter: number, count: number): number {
  return Math.floor(uniform(salt, counter) * count);
}

/** Value noise in [0, 1): a random level at each whole `x`, joined by smooth curves. */
export function smooth(salt: number, x: number): number {
  const knot = Math.floor(x);
  const part = x - knot;
  const ease = part * part * (3 - 2 * part);
  const left = uniform(salt, knot);
  return left + (uniform(salt, knot + 1) - left) * ease;
}
