import { SpentChunks } from "../../lib/http/spent-chunks.ts";
import { yieldToEventLoop } from "../../lib/yielding.ts";
import { JsonRecords, type JsonRecordsOptions } from "./json-records.ts";

/** Takes the body of an answer while it arrives. */
export interface ResponseBody {
  /** Wait for the promise, if there is one, before the next chunk. */
  take(chunk: Buffer): Promise<void> | undefined;
  /** The rest is not wanted. */
  readonly isEnough: boolean;
  /** Empty where the body is not kept. */
  text(): string;
}

/** Keeps it as it is, up to a number of bytes. */
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

/** Of a JSON array: hands each record on as soon as it is there, and keeps nothing. */
export class RecordsBody implements ResponseBody {
  readonly #records: JsonRecords;
  readonly #chunks = new SpentChunks();

  constructor(options: JsonRecordsOptions) {
    this.#records = new JsonRecords(options);
  }

  get isEnough(): boolean {
    return this.#records.isBroken;
  }

  /** The memory of the chunk is gone when another one comes. */
  take(chunk: Buffer): Promise<void> | undefined {
    this.#chunks.arrived(chunk);
    return this.#records.take(chunk) ? yieldToEventLoop() : undefined;
  }

  text(): string {
    return "";
  }

  /**
   * The body is over: hands on the records that are left.
   * @throws SyntaxError, NotAList
   */
  end(): void {
    try {
      this.#records.end();
    } finally {
      this.#chunks.ended();
    }
  }
}
