import { MAX_NUMERAL_LENGTH } from "../answer-bounds.ts";
import { finiteNumber } from "./values.ts";

/*
 * Numbers as PRTG shows them to people: `42.5 %`, `1.234,5 msec`, `0,2`. Live servers send most of them as numbers. Settings use the
 * decimal separator of the server.
 */

const SIGN = /^[+\-\u2212]/;
/** Groups of three digits, between marks that are all the same, and decimals behind another mark. */
const GROUPED = /^([1-9]\d{0,2})([., '\u2019\u00a0\u202f])(\d{3}(?:\2\d{3})*)(?:(?!\2)([.,])(\d+))?$/;
/** Without groups. */
const PLAIN = /^(\d+)(?:[.,](\d+))?(?:e([+-]?\d{1,3}))?$/i;

/**
 * The one reader of numbers in answers: a number, a numeral as JSON has it, or a text with or without the unit of the channel.
 * `undefined` for another unit, for a text that is no number (`5 h 3 m`, `< 1 %`), and for one that can be two: `1,234` is one thing
 * in London and another in Berlin.
 * @param units Units that may follow the number. An empty list allows none.
 */
export function readNumber(value: unknown, ...units: readonly string[]): number | undefined {
  const number = finiteNumber(value);
  if (number !== undefined || typeof value !== "string") return number;
  return onlyReading(value, units);
}

/** As `readNumber`, for counts: that the number must be whole is the hint that makes `1,234` unambiguous. */
export function readCount(value: unknown): number | undefined {
  if (typeof value === "string") return onlyReading(value, [], isCount);
  return typeof value === "number" && isCount(value) ? value : undefined;
}

function isCount(number: number): boolean {
  return Number.isSafeInteger(number) && number >= 0;
}

function onlyReading(
  text: string,
  units: readonly string[],
  fits: (reading: number) => boolean = () => true,
): number | undefined {
  const trimmed = text.trim();
  for (const unit of [...units, ""]) {
    const numeral = withoutUnit(trimmed, unit.trim());
    if (numeral === undefined) continue;
    const sign = SIGN.test(numeral) && !numeral.startsWith("+") ? -1 : 1;
    const digits = numeral.replace(SIGN, "").trimStart();
    const readings = new Set(readingsOf(digits).map((reading) => sign * reading));
    const [only, other] = [...readings].filter(fits);
    if (only !== undefined) return other === undefined ? only : undefined;
  }
  return undefined;
}

/** The text before the unit; `undefined` if it ends otherwise. */
function withoutUnit(trimmed: string, unit: string): string | undefined {
  if (trimmed.length > MAX_NUMERAL_LENGTH + unit.length) return undefined;
  const behind = trimmed.length - unit.length;
  // The micro sign and the Greek letter are one unit.
  if (behind <= 0 || trimmed.slice(behind).normalize("NFKC") !== unit.normalize("NFKC")) return undefined;
  return trimmed.slice(0, behind).trim();
}

/** All numbers that the digits can stand for. */
function readingsOf(digits: string): readonly number[] {
  const grouped = GROUPED.exec(digits);
  const plain = PLAIN.exec(digits);
  const readings: (number | undefined)[] = [];
  if (grouped !== null) {
    const [, first = "", mark = "", rest = "", , decimals = ""] = grouped;
    readings.push(finiteNumber(`${first}${rest.replaceAll(mark, "")}.${decimals}`));
  }
  if (plain !== null) {
    const [, whole = "", decimals = "", exponent = "0"] = plain;
    readings.push(finiteNumber(`${whole}.${decimals}e${exponent}`));
  }
  return readings.filter((reading) => reading !== undefined);
}
