/** Control and format characters, line separators and lone surrogates can forge lines or confuse a terminal. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu;

export function quote(text: string): string {
  return JSON.stringify(text).replaceAll(
    UNPRINTABLE,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

export function printable(text: string): string {
  return text.search(UNPRINTABLE) === -1 ? text : quote(text);
}

const WIDEST = 60;

/** Aligns columns. Does not pad the last one. */
export function textTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, ...rows].map((cells) => cells.map(oneLine));
  const widths = head.map((_, column) =>
    lines.reduce((widest, cells) => Math.max(widest, Math.min((cells[column] ?? "").length, WIDEST)), 0),
  );
  return lines
    .map(
      (cells) =>
        `${cells
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join("  ")
          .trimEnd()}\n`,
    )
    .join("");
}

/** Names of a server can contain control sequences for terminals, and characters that are invisible or reverse a line. */
export function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}\p{Cf}\p{Cs}]+/gu, " ");
}

/** One line of at most this length. A longer one is cut and ends with a marker. */
export function shortLine(text: string, max: number): string {
  const line = oneLine(text);
  return line.length <= max ? line : `${line.slice(0, max - 1).toWellFormed()}…`;
}
