const SHOWN = 3;

/** The candidates with the fewest differences to a text, nearest first. */
export function nearest(text: string, candidates: Iterable<string>, shown = SHOWN): readonly string[] {
  return [...new Set(candidates)]
    .map((candidate) => ({ candidate, distance: editDistance(text, candidate) }))
    .toSorted((one, other) => one.distance - other.distance)
    .slice(0, shown)
    .map(({ candidate }) => candidate);
}

/** Number of characters to insert, remove or replace (Levenshtein). */
function editDistance(one: string, other: string): number {
  let previous = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [row, character] of [...one].entries()) {
    const current = [row + 1];
    for (let column = 0; column < other.length; column++) {
      const replaced = (previous[column] ?? 0) + (other[column] === character ? 0 : 1);
      current.push(Math.min(replaced, (previous[column + 1] ?? 0) + 1, (current[column] ?? 0) + 1));
    }
    previous = current;
  }
  return previous.at(-1) ?? 0;
}
