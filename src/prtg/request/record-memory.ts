/** The record is not known, or not certain to be. */
export const NOT_KNOWN = -1;

/** What is known of a list from its last reading, so that records that hardly changed need not be parsed. */
export interface RecordMemory {
  /** The end of the record that begins at `at` and ends before `end`, which is `recalled()` then; else NOT_KNOWN. */
  recall(bytes: Buffer, at: number, end: number): number;
  /** The record that was recalled last. */
  recalled(): unknown;
  /** A record that was not known, parsed. Returns what is handed over for it. */
  learn(bytes: Buffer, at: number, end: number, record: unknown): unknown;
}
