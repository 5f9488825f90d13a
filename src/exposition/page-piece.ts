/** Whole lines of a page. They never change, so what is made of them is as good as long as they are. */
export interface PagePiece {
  readonly bytes: Buffer;
  /** Samples in it. */
  readonly series: number;
}
