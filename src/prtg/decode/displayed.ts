import { MAX_NUMERAL_LENGTH } from "../answer-bounds.ts";
import { finiteNumber } from "./values.ts";

/*
 * Values as people read them, `42.5 %` or `1.234,5 msec`. Servers send numbers; one client of live servers took texts for common.
 */

const SIGN = /^[+\-\u2212]/;
/** Groups of three digits, between marks that are all the same, and decimals behind another mark. */
const GROUPED = /^([1-9]\d{0,2})([., '\u2019\u00a0\u202f])(\d{3}(?:\2\d{3})*)(?:(?!\2)([.,])(\d+))?$/;
/** Without groups. */
const PLAIN = /^(\d+)(?:[.,](\d+))?(?:e([+-]?\d{1,3}))?$/i;

/**
 * The number in a displayed value whose unit is that of its channel, with the decimals and groups of any language. Undefined where the
 * text is of another unit, is no number (`5 h 3 m`, `< 1 %`), or could be two: `1,234` is one thing in London and another in Berlin.
 */
export function displayedNumber(text: string, unit: string): number | undefined {
  const shown = text.trim();
  const suffix = unit.trim();
  if (shown.length > MAX_NUMERAL_LENGTH + suffix.length) return undefined;
  const behind = shown.length - suffix.length;
  // The micro sign and the Greek letter are one unit.
  if (behind <= 0 || shown.slice(behind).normalize("NFKC") !== suffix.normalize("NFKC")) return undefined;
  const numeral = shown.slice(0, behind).trim();
  const isNegative = SIGN.test(numeral) && !numeral.startsWith("+");
  const readings = new Set(readingsOf(numeral.replace(SIGN, "").trimStart()));
  const [only] = readings;
  if (only === undefined || readings.size > 1) return undefined;
  return isNegative ? -only : only;
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
