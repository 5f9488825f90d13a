/** Reads one kind of thing from a server and shows it in the store. */
export interface Collector {
  readonly name: string;
  /**
   * One run. What could be read is shown even when the run then rejects, because a part of it failed.
   * @throws the signal's reason when it aborts
   */
  run(signal: AbortSignal): Promise<RunResult>;
}

export interface RunResult {
  /** True when every object was seen. */
  readonly complete: boolean;
}
