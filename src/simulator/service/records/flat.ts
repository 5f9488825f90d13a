/**
 * Joins pieces into one flat string. A template leaves a tree of its pieces behind, which is walked anew each time a
 * page with the text is encoded; for what is kept and sent again and again that made three quarters of the cost.
 */
export function flat(...pieces: readonly string[]): string {
  // One piece alone would come back as it is.
  return pieces.concat("").join("");
}
