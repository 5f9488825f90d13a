/** Told how far a run is. */
export interface BackfillProgress {
  /** `done` of `total` were done by an earlier run. */
  begin(what: "sensors" | "days" | "values", total: number, done: number): void;
  advance(done: number): void;
  /** Where nothing goes on for a while. */
  end(): void;
}
