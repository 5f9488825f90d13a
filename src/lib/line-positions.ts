export interface Position {
  readonly line: number;
  readonly column: number;
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

export class LinePositions {
  readonly #starts: number[] = [0];
  readonly #length: number;

  constructor(text: string) {
    this.#length = text.length;
    // Editors do not show a byte order mark.
    if (text.startsWith("\uFEFF")) this.#starts[0] = 1;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === LINE_FEED || (code === CARRIAGE_RETURN && text.charCodeAt(at + 1) !== LINE_FEED)) {
        this.#starts.push(at + 1);
      }
    }
  }

  at(offset: number): Position {
    const within = Math.max(this.#starts[0] ?? 0, Math.min(offset, this.#length));
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#starts[middle] ?? 0) <= within) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: within - (this.#starts[low] ?? 0) + 1 };
  }
}
