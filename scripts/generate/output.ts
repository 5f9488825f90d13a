export interface Output {
  /** Path below the root of the repository. */
  readonly path: string;
  readonly content: string;
}
