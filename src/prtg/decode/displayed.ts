import { MAX_NUMERAL_LENGTH } from "../answer-bounds.ts";
import { finiteNumber } from "./values.ts";

const SIGN = /^[+\-\u2212]/;
const GROUPED = /^([1-9]\d{0,2})([., '\u2019\u00a0\u202f])(\d{3}(?:\2\d{3})*)(?:(?!\2)([.,])(\d+))?$/;
/** A number without groups of digits. */
const PLAIN = /^(\d+)(?:[.,](\d+))?(?:e([+-]?\d{1,3}))?$/i;

/**
 * Reads a number, a JSON numeral, or a text such as `42.5 %`. `undefined` for another unit, for other text (`5 h 3 m`,
 * `< 1 %`), and if two readings are possible: `1,234` differs between London and Berlin.
 * @param units Units that may follow. Default: none.
 */
export function readNumber(value: unknown, ...units: readonly string[]): number | undefined {
  const number = finiteNumber(value);
  if (number !== undefined || typeof value !== "string") return number;
  return onlyReading(value, units);
}

const DIGITS = /^\d{1,15}$/;

/** Counts are whole, which makes `1,234` unambiguous. */
export function readCount(value: unknown): number | undefined {
  // Each sensor has some.
  if (typeof value === "string") return DIGITS.test(value) ? Number(value) : onlyReading(value, [], isCount);
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

function withoutUnit(trimmed: string, unit: string): string | undefined {
  if (trimmed.length > MAX_NUMERAL_LENGTH + unit.length) return undefined;
  const behind = trimmed.length - unit.length;
  // The micro sign and the Greek letter are one unit.
  if (behind <= 0 || trimmed.slice(behind).normalize("NFKC") !== unit.normalize("NFKC")) return undefined;
  return trimmed.slice(0, behind).trim();
}

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
