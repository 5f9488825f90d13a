/** Control and format characters, separators of lines, lone surrogates: what could forge a line or upset a terminal. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** `text` in double quotes, with every unprintable character escaped. */
export function quote(text: string): string {
  return JSON.stringify(text).replaceAll(
    UNPRINTABLE,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

/** `text` as it is where it is printable, else quoted; for paths. */
export function printable(text: string): string {
  return text.search(UNPRINTABLE) === -1 ? text : quote(text);
}

/** Longer cells move their own line only. */
const WIDEST = 60;

/** Columns that are as wide as their cells, for people; lines end with a line feed. The last column is not padded. */
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

/** A server can put anything into its names, also what a terminal takes for commands. */
export function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, " ");
}
