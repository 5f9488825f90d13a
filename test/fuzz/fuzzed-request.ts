/** What a client sends as one request, well-formed or not. */
export interface FuzzedRequest {
  readonly bytes: Buffer;
  /** Whether the answer to it has no body. */
  readonly isHead: boolean;
  /** True when the server knows where it ends, so that another one can follow on the connection. */
  readonly isFramed: boolean;
  /** What the client does when all is sent. */
  readonly then: "reads" | "goes away" | "resets";
}
