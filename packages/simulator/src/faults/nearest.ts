const SHOWN = 3;
/** The search ignores the rest of a longer text. Its time grows with the length. */
const MAX_COMPARED = 200;

/** The candidates with the fewest differences to a text, nearest first. Upper and lower case are equal. */
export function nearest(text: string, candidates: Iterable<string>, shown = SHOWN): readonly string[] {
  const compared = text.slice(0, MAX_COMPARED).toLowerCase();
  return [...new Set(candidates)]
    .map((candidate) => ({ candidate, distance: editDistance(compared, candidate.toLowerCase()) }))
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
