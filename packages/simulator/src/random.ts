/** Uniform in [0, 1). */
export type Random = () => number;

/** A small seeded generator (mulberry32), so that a simulated run can be repeated. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}

/** `digits` hexadecimal digits. */
export function randomHex(random: Random, digits: number): string {
  let hex = "";
  while (hex.length < digits) {
    hex += Math.floor(random() * 0x1_0000_0000)
      .toString(16)
      .padStart(8, "0");
  }
  return hex.slice(0, digits);
}
