import { isPlainEncoding } from "../../lib/http/decoded-body.ts";
import type { AnswerTaker } from "../../lib/http/exchange.ts";
import type { ResponseHeaders } from "../../lib/http/headers.ts";
import { Unpacking } from "../../lib/http/unpacking.ts";
import { MAX_INFORMATIONAL } from "../answer-bounds.ts";
import { type HttpResponse, type ResponseHead, readHead } from "./messages.ts";
import { TooManyInterimAnswers } from "./network-error.ts";
import type { ResponseBody } from "./response-body.ts";

export interface AnswerHooks {
  /** The head of the answer has arrived. Returns what is to take its body. */
  readonly onHead: (head: ResponseHead) => ResponseBody;
  /** Bytes of the body have arrived, as they are on the wire. */
  readonly onBytes: (count: number) => void;
  /** Throws where a body of so many bytes, on the wire or unpacked, is too large. */
  readonly bound: (bytes: number) => void;
}

/** Reads one answer as it arrives, and unpacks its body where that is compressed. */
export class AnswerReader implements AnswerTaker {
  readonly #hooks: AnswerHooks;
  #interim = 0;
  #head: ResponseHead | undefined;
  #body: ResponseBody | undefined;
  #unpacking: Unpacking | undefined;
  #wireBytes = 0;
  /** Of the body, unpacked. */
  #bytes = 0;
  /** What reading the answer failed with, which is no fault of the connection. */
  #failure: { readonly error: unknown } | undefined;

  constructor(hooks: AnswerHooks) {
    this.#hooks = hooks;
  }

  get hasBegun(): boolean {
    return this.#head !== undefined;
  }

  get isEnough(): boolean {
    return this.#unpacking?.isOver ?? this.#body?.isEnough ?? false;
  }

  interim(): void {
    this.#interim++;
    if (this.#interim > MAX_INFORMATIONAL) throw new TooManyInterimAnswers();
  }

  head(statusCode: number, statusText: string, headers: ResponseHeaders): void {
    const head = readHead(statusCode, statusText, headers);
    this.#head = head;
    this.#orFail(() => {
      this.#body = this.#hooks.onHead(head);
    });
    const { contentEncoding } = head;
    if (isPlainEncoding(contentEncoding)) return;
    this.#unpacking = new Unpacking({
      encoding: contentEncoding,
      take: (piece) => this.#take(piece),
      isEnough: () => this.#body?.isEnough === true,
    });
  }

  data(chunk: Buffer): Promise<void> | undefined {
    return this.#orFail(() => {
      this.#wireBytes += chunk.length;
      this.#hooks.onBytes(chunk.length);
      this.#hooks.bound(this.#wireBytes);
      return this.#unpacking === undefined ? this.#take(chunk) : this.#unpacking.add(chunk);
    });
  }

  /** What has come of the answer. */
  get response(): HttpResponse {
    if (this.#head === undefined) throw new TypeError("the answer has not begun");
    return { ...this.#head, body: this.#body?.text() ?? "", bytes: this.#bytes };
  }

  /**
   * The answer is complete. Resolves when all of it has been read.
   * @throws DamagedBody, and what its reader throws
   */
  async end(): Promise<void> {
    await this.#unpacking?.end();
  }

  /** The rest will not come, or is not read. Resolves with what reading the answer failed with, if it did. */
  async giveUp(): Promise<{ readonly error: unknown } | undefined> {
    return this.#failure ?? (await this.#unpacking?.giveUp());
  }

  #take(chunk: Buffer): Promise<void> | undefined {
    this.#bytes += chunk.length;
    this.#hooks.bound(this.#bytes);
    return this.#body?.take(chunk);
  }

  #orFail<Result>(read: () => Result): Result {
    try {
      return read();
    } catch (error) {
      this.#failure ??= { error };
      throw error;
    }
  }
}
