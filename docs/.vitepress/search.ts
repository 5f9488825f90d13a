/**
 * How the search of the site ranks its sections. VitePress serializes both objects with their functions into the pages,
 * so a function must not use anything outside of itself. test/docs/search.integration.test.ts asks the index.
 */

/** Names such as prtg_channel_value are found whole and by their parts. */
export const INDEX_OPTIONS = {
  tokenize: (text: string): string[] =>
    (text.match(/[\p{L}\p{N}_]+/gu) ?? []).flatMap((word) => [word, ...(word.includes("_") ? word.split("_") : [])]),
};

export const SEARCH_OPTIONS = {
  /** `prtg` would expand to the names of all metrics. */
  prefix: (term: string): boolean => term.length > 3 && term !== "prtg",
  /** Pages for users come before internals, and these before reasons and long tables. */
  boostDocument: (id: string, term: string): number => {
    // The whole name of a metric belongs to its table.
    if (term.startsWith("prtg_")) return 1;
    if (/\/decisions\/|\/sensor-kinds|\/presets|\/units|\/api-coverage/.test(id)) return 0.2;
    return /\/architecture|\/simulator|\/fuzz/.test(id) ? 0.5 : 1;
  },
};
