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
