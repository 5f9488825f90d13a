import { shortLine } from "../../lib/printable-text.ts";
import { dataJson } from "./data-block.ts";

/** With the summary and the warning, an answer has less than 32 KiB of text. */
export const MAX_DATA_BYTES = 30 * 1_024;

/** Characters of texts of monitored systems. A whole object fits into 2 kB. */
const MAX_NAME = 150;
const MAX_PATH = 300;
const MAX_MESSAGE = 300;

/** One line. Invisible characters become spaces. */
export function nameText(text: string): string {
  return shortLine(text, MAX_NAME);
}

export function pathText(text: string): string {
  return shortLine(text, MAX_PATH);
}

export function messageText(text: string | null): string | null {
  return text === null ? null : shortLine(text, MAX_MESSAGE);
}

/** Characters of a line of the metrics page, and bytes of all lines of an object. */
const MAX_LINE = 500;
const MAX_LINES_BYTES = 8 * 1_024;

/** The first lines that fit. An answer cannot drop those of its own object, so they are bounded by bytes. */
export function lineTexts(lines: readonly string[]): string[] {
  const shown: string[] = [];
  let bytes = 0;
  for (const line of lines) {
    const text = shortLine(line, MAX_LINE);
    bytes += Buffer.byteLength(dataJson([text]));
    if (bytes > MAX_LINES_BYTES) break;
    shown.push(text);
  }
  return shown;
}

/** Builds the answer with as many of the first items as fit. */
export function fitted<Item, Answer extends object>(
  items: readonly Item[],
  build: (items: readonly Item[]) => Answer,
): Answer {
  let { length } = items;
  while (true) {
    const answer = build(items.slice(0, length));
    const bytes = Buffer.byteLength(dataJson(answer));
    if (bytes <= MAX_DATA_BYTES || length === 0) return answer;
    length = Math.min(length - 1, Math.floor((length * MAX_DATA_BYTES) / bytes));
  }
}

export interface Position {
  readonly total: number;
  /** Index of the first shown item. */
  readonly from: number;
  readonly shown: number;
}

/** Index for the next call. Null: the rest of the list is shown. */
export function nextFrom({ total, from, shown }: Position): number | null {
  return shown > 0 && from + shown < total ? from + shown : null;
}

/** "20 of 3000 objects, from 0." and how to get others. @param narrow How to get fewer. */
export function positionText(what: string, position: Position, narrow: string): string {
  const { total, from, shown } = position;
  const next = nextFrom(position);
  const place = from === 0 ? "" : `, from index ${from}`;
  const rest = next === null ? "" : ` For more call again with from=${next}. For fewer ${narrow}.`;
  return `${shown} of ${total} ${what}${place}.${rest}`;
}
