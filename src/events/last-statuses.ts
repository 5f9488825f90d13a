import { STATUS_TOKENS, type StatusToken, statusCode } from "../prtg/status.ts";

/** The last reported status of an object. */
export interface LastStatus {
  readonly status: StatusToken;
  /** Milliseconds since the epoch; undefined where the server does not say. */
  readonly since: number | undefined;
}

const NOTHING = 255;
const MIN_ROWS = 1_024;

/**
 * The last reported status of each object by row, in packed columns: there may be hundreds of thousands. Rows of gone
 * objects are reused.
 */
export class LastStatuses {
  #ids: string[] = [];
  #codes = new Uint8Array(MIN_ROWS).fill(NOTHING);
  /** NaN: unknown. */
  #since = new Float64Array(MIN_ROWS);
  /** Codes of what waits for room, else `NOTHING`. */
  #deferred = new Uint8Array(MIN_ROWS).fill(NOTHING);

  has(row: number): boolean {
    return (this.#codes[row] ?? NOTHING) !== NOTHING;
  }

  /** This was reported last. An unknown or earlier time is nothing new. */
  includes(row: number, status: StatusToken, since: number | undefined): boolean {
    if (this.#codes[row] !== statusCode(status)) return false;
    return since === undefined || since <= (this.#since[row] ?? Number.NaN);
  }

  /** Undefined before a first report. */
  get(row: number): LastStatus | undefined {
    const status = STATUS_TOKENS[this.#codes[row] ?? NOTHING];
    return status === undefined ? undefined : { status, since: known(this.#since[row]) };
  }

  set(row: number, id: string, { status, since }: LastStatus): void {
    if (row >= this.#codes.length) this.#grow(row);
    // In order, but for reused rows.
    while (this.#ids.length < row) this.#ids.push("");
    this.#ids[row] = id;
    this.#codes[row] = statusCode(status);
    this.#since[row] = since ?? Number.NaN;
    this.#deferred[row] = NOTHING;
  }

  /** Returns whether it had a status. */
  clear(row: number): boolean {
    if (!this.has(row)) return false;
    this.#codes[row] = NOTHING;
    this.#deferred[row] = NOTHING;
    this.#ids[row] = "";
    return true;
  }

  /** Returns whether it replaces another one that waits. */
  defer(row: number, status: StatusToken): boolean {
    const before = this.#deferred[row] ?? NOTHING;
    const code = statusCode(status);
    if (before === code) return false;
    this.#deferred[row] = code;
    return before !== NOTHING;
  }

  /** The status is the reported one again. Returns whether another one waited. */
  undefer(row: number): boolean {
    if ((this.#deferred[row] ?? NOTHING) === NOTHING) return false;
    this.#deferred[row] = NOTHING;
    return true;
  }

  /** That waits. */
  deferred(row: number): StatusToken | undefined {
    return STATUS_TOKENS[this.#deferred[row] ?? NOTHING];
  }

  /** As of now, whatever changes during the reading. */
  snapshot(): Iterable<readonly [id: string, status: LastStatus]> {
    // Copied now, not at the first entry.
    return entriesOf([...this.#ids], this.#codes.slice(), this.#since.slice());
  }

  #grow(row: number): void {
    const size = Math.max(2 * this.#codes.length, row + 1);
    const codes = new Uint8Array(size).fill(NOTHING);
    codes.set(this.#codes);
    const deferred = new Uint8Array(size).fill(NOTHING);
    deferred.set(this.#deferred);
    const since = new Float64Array(size);
    since.set(this.#since);
    this.#codes = codes;
    this.#deferred = deferred;
    this.#since = since;
  }
}

function* entriesOf(
  ids: readonly string[],
  codes: Uint8Array,
  since: Float64Array,
): Generator<readonly [id: string, status: LastStatus]> {
  for (const [row, id] of ids.entries()) {
    const status = STATUS_TOKENS[codes[row] ?? NOTHING];
    if (status !== undefined) yield [id, { status, since: known(since[row]) }];
  }
}

function known(since: number | undefined): number | undefined {
  return since === undefined || Number.isNaN(since) ? undefined : since;
}
