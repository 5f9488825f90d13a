export interface FuzzedRequest {
  readonly bytes: Buffer;
  readonly isHead: boolean;
  /** The server knows its end, so another request may follow. */
  readonly isFramed: boolean;
  /** The client's action after sending. */
  readonly then: "reads" | "goes away" | "resets";
}
