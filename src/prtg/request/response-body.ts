import { yieldToEventLoop } from "../../lib/yielding.ts";
import { JsonRecords } from "./json-records.ts";

/** Reads the body of an answer while it arrives. */
export interface ResponseBody {
  /** The next chunk has to wait for the promise, if there is one. */
  take(chunk: Buffer): Promise<void> | undefined;
  /** The rest of the body is not needed. */
  readonly isEnough: boolean;
  /** Empty if the body is not kept. */
  text(): string;
}

/** Keeps the text, up to a number of bytes. */
export class TextBody implements ResponseBody {
  readonly #chunks: Buffer[] = [];
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes = Number.POSITIVE_INFINITY) {
    this.#maxBytes = maxBytes;
  }

  get isEnough(): boolean {
    return this.#bytes >= this.#maxBytes;
  }

  take(chunk: Buffer): undefined {
    this.#chunks.push(chunk.subarray(0, this.#maxBytes - this.#bytes));
    this.#bytes += chunk.length;
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString("utf8");
  }
}

/** Parses a JSON array: hands each record on as soon as it is complete, and keeps nothing. */
export class RecordsBody implements ResponseBody {
  readonly #records: JsonRecords;

  constructor(take: (record: unknown) => void) {
    this.#records = new JsonRecords(take);
  }

  get isEnough(): boolean {
    return this.#records.isBroken;
  }

  take(chunk: Buffer): Promise<void> | undefined {
    return this.#records.take(chunk) ? yieldToEventLoop() : undefined;
  }

  text(): string {
    return "";
  }

  /**
   * Hands on the remaining records.
   * @throws SyntaxError, NotAList
   */
  end(): void {
    this.#records.end();
  }
}
