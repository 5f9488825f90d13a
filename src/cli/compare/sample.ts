/** From 0 to below 1, the same numbers for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** So many different items, each with the same chance. All of them if there are fewer. */
export function sampleOf<Item>(items: Iterable<Item>, count: number, random: () => number): readonly Item[] {
  const rest = [...items];
  const chosen = Math.min(count, rest.length);
  for (let at = 0; at < chosen; at++) {
    const other = at + Math.floor(random() * (rest.length - at));
    [rest[at], rest[other]] = [rest[other] as Item, rest[at] as Item];
  }
  return rest.slice(0, chosen);
}
