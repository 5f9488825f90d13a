import { STATUS_TOKENS, type StatusToken, statusCode } from "../prtg/status.ts";

/** What was last told of an object. */
export interface ToldStatus {
  readonly status: StatusToken;
  /** Since when, milliseconds since the epoch; undefined where the server did not say. */
  readonly since: number | undefined;
}

const NOTHING = 255;
const MIN_ROWS = 1_024;

/**
 * What was last told of each object, by its row: in packed columns, as there may be hundreds of thousands. Rows are given again
 * when their object is gone.
 */
export class ToldStatuses {
  #ids: string[] = [];
  #codes = new Uint8Array(MIN_ROWS).fill(NOTHING);
  /** NaN where it is not known. */
  #since = new Float64Array(MIN_ROWS);
  /** Codes of what waits for room to be told; `NOTHING` where nothing does. */
  #deferred = new Uint8Array(MIN_ROWS).fill(NOTHING);

  has(row: number): boolean {
    return (this.#codes[row] ?? NOTHING) !== NOTHING;
  }

  /** True when this is what was told last. A time that is not known, or before the one that is, says nothing new. */
  isTold(row: number, status: StatusToken, since: number | undefined): boolean {
    if (this.#codes[row] !== statusCode(status)) return false;
    return since === undefined || since <= (this.#since[row] ?? Number.NaN);
  }

  /** Undefined where nothing was told. */
  get(row: number): ToldStatus | undefined {
    const status = STATUS_TOKENS[this.#codes[row] ?? NOTHING];
    return status === undefined ? undefined : { status, since: known(this.#since[row]) };
  }

  set(row: number, id: string, { status, since }: ToldStatus): void {
    if (row >= this.#codes.length) this.#grow(row);
    // Rows come in order but where one is given again.
    while (this.#ids.length < row) this.#ids.push("");
    this.#ids[row] = id;
    this.#codes[row] = statusCode(status);
    this.#since[row] = since ?? Number.NaN;
    this.#deferred[row] = NOTHING;
  }

  /** Returns whether something was told of it. */
  clear(row: number): boolean {
    if (!this.has(row)) return false;
    this.#codes[row] = NOTHING;
    this.#deferred[row] = NOTHING;
    this.#ids[row] = "";
    return true;
  }

  /** A status waits to be told. Returns whether that takes the place of another one, which is never told. */
  defer(row: number, status: StatusToken): boolean {
    const before = this.#deferred[row] ?? NOTHING;
    const code = statusCode(status);
    if (before === code) return false;
    this.#deferred[row] = code;
    return before !== NOTHING;
  }

  /** The object is in the status again that was told last. Returns whether another one waited, which is never told. */
  undefer(row: number): boolean {
    if ((this.#deferred[row] ?? NOTHING) === NOTHING) return false;
    this.#deferred[row] = NOTHING;
    return true;
  }

  /** The status of an object that waits to be told. */
  deferred(row: number): StatusToken | undefined {
    return STATUS_TOKENS[this.#deferred[row] ?? NOTHING];
  }

  /** As it is at this moment, whatever changes while it is read. */
  snapshot(): Iterable<readonly [id: string, told: ToldStatus]> {
    // Copied now, not when the first entry is asked for.
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
): Generator<readonly [id: string, told: ToldStatus]> {
  for (const [row, id] of ids.entries()) {
    const status = STATUS_TOKENS[codes[row] ?? NOTHING];
    if (status !== undefined) yield [id, { status, since: known(since[row]) }];
  }
}

function known(since: number | undefined): number | undefined {
  return since === undefined || Number.isNaN(since) ? undefined : since;
}
