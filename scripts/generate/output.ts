export interface Output {
  /** Relative to the repository's root. */
  readonly path: string;
  readonly content: string;
}
