/** A file of the repository that is generated, as it is to be. */
export interface Output {
  /** Path below the root of the repository. */
  readonly path: string;
  readonly content: string;
}
