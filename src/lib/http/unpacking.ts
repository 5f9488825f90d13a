import { once } from "node:events";
import { PassThrough } from "node:stream";
import { chunksOf } from "./body-chunks.ts";
import { decodedBody } from "./decoded-body.ts";

export interface UnpackingOptions {
  /** `Content-Encoding`. */
  readonly encoding: string | undefined;
  /** Given each piece, unpacked; the next one comes when its promise has resolved, if there is one. */
  readonly take: (piece: Buffer) => Promise<void> | undefined;
  /** The rest is not wanted. */
  readonly isEnough: () => boolean;
}

/** Unpacks a body that is handed over chunk by chunk, no faster than its pieces are taken. */
export class Unpacking {
  readonly #packed = new PassThrough();
  readonly #over: Promise<void>;
  #isOver = false;
  #failure: { readonly error: unknown } | undefined;

  constructor(options: UnpackingOptions) {
    this.#over = this.#read(options).finally(() => {
      this.#isOver = true;
    });
    this.#over.catch((error: unknown) => {
      this.#failure = { error };
    });
  }

  /** Nothing more is taken: it is enough, or has failed. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** No further chunk before the promise has settled, if there is one; it rejects as `end` does. */
  add(chunk: Buffer): Promise<void> | undefined {
    if (this.#isOver || this.#packed.write(chunk)) return undefined;
    return Promise.race([once(this.#packed, "drain").then(() => undefined), this.#over]);
  }

  /**
   * The body is complete. Resolves when all pieces have been taken.
   * @throws DamagedBody, and what `take` throws
   */
  async end(): Promise<void> {
    this.#packed.end();
    await this.#over;
  }

  /** The rest will not come. Resolves with what had failed before. */
  async giveUp(): Promise<{ readonly error: unknown } | undefined> {
    const failure = this.#failure;
    this.#packed.destroy();
    await this.#over.catch(() => undefined);
    return failure;
  }

  async #read({ encoding, take, isEnough }: UnpackingOptions): Promise<void> {
    for await (const piece of decodedBody(chunksOf(this.#packed), encoding)) {
      const turn = take(piece);
      if (turn !== undefined) await turn;
      if (isEnough()) break;
    }
  }
}
