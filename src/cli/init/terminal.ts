import { createInterface, type Interface } from "node:readline";
import { Writable } from "node:stream";
import { ExporterError } from "../../errors/exporter-error.ts";

/** Asks a person. */
export interface Terminal {
  ask(question: string): Promise<string>;
  /** Shows no typed character. Blanks at the ends may belong to a secret. */
  askSecret(question: string): Promise<string>;
  /** Repeats the question until the answer is yes, no or empty, which is no. */
  confirm(question: string): Promise<boolean>;
  /** Gives the terminal back. */
  close(): void;
}

/** @throws ExporterError INIT_ANSWER_MISSING at the end of the input */
export class LineTerminal implements Terminal {
  readonly #output: MutableOutput;
  readonly #interface: Interface;
  readonly #lines: AsyncIterator<string>;

  /** @param interrupt Called for Ctrl-C, which the terminal does not turn into a signal meanwhile. */
  constructor(input: NodeJS.ReadableStream, output: NodeJS.WritableStream, interrupt: () => void) {
    this.#output = new MutableOutput(output);
    this.#interface = createInterface({ input, output: this.#output, terminal: true, historySize: 0 });
    // Keeps lines that were typed ahead.
    this.#lines = this.#interface[Symbol.asyncIterator]();
    this.#interface.on("SIGINT", interrupt);
  }

  async ask(question: string): Promise<string> {
    this.#interface.setPrompt(`${question} `);
    this.#output.isMuted = false;
    try {
      return (await this.#answer(question)).trim();
    } finally {
      this.#output.isMuted = true;
    }
  }

  async askSecret(question: string): Promise<string> {
    this.#output.target.write(`${question} `);
    try {
      return await this.#answer(question);
    } finally {
      this.#output.target.write("\n");
    }
  }

  async confirm(question: string): Promise<boolean> {
    for (;;) {
      const text = await this.ask(`${question} [y/N]`);
      if (/^y(es)?$/i.test(text)) return true;
      if (/^(no?)?$/i.test(text)) return false;
    }
  }

  close(): void {
    this.#interface.close();
  }

  async #answer(question: string): Promise<string> {
    // Keeps the cursor behind characters that were typed ahead.
    this.#interface.prompt(true);
    const { value, done } = await this.#lines.next();
    if (done) throw new ExporterError("INIT_ANSWER_MISSING", `the input ended at the question: ${question}`);
    return value;
  }
}

/** readline echoes typed characters. Muted between questions, because they may belong to a secret. */
class MutableOutput extends Writable {
  readonly target: NodeJS.WritableStream;
  isMuted = true;

  constructor(target: NodeJS.WritableStream) {
    super({ decodeStrings: false });
    this.target = target;
  }

  override _write(chunk: string, _encoding: BufferEncoding, done: () => void): void {
    if (!this.isMuted) this.target.write(chunk);
    done();
  }
}
