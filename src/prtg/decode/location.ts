import { MAX_WORD_LENGTH } from "../answer-bounds.ts";
import { finiteNumber } from "./values.ts";

/** Degrees, with at most six decimals. */
export interface Location {
  readonly latitude: number;
  readonly longitude: number;
}

/** The forms of PRTG end a tag at a comma, so other characters can separate the two numbers. */
const PAIR = /^([^,;_/]+)[,;_/]([^,;_/]+)$/;
const PREFIX = "geo:";
/** Other tags may begin with `geo:` too, such as `geo:berlin`. */
const LIKE_NUMBER = /^[+-]?\.?\d/;
const MAX_LATITUDE = 90;
const MAX_LONGITUDE = 180;
/** About 11 cm. */
const DECIMALS = 1_000_000;

/** Location in the first tag such as `geo:50.11_8.68`. `invalid`: that tag has no valid coordinates. */
export function locationOf(tags: readonly string[]): Location | "invalid" | undefined {
  for (let index = 0; index < tags.length; index++) {
    const tag = tags[index];
    if (tag === undefined || !isPrefixed(tag)) continue;
    const first = tag.slice(PREFIX.length);
    if (!LIKE_NUMBER.test(first)) continue;
    // A comma splits a tag in two.
    return readPair(first) ?? readPair(`${first},${tags[index + 1]}`) ?? "invalid";
  }
  return undefined;
}

/** Tags of PRTG are not case-sensitive. */
function isPrefixed(tag: string): boolean {
  return tag.slice(0, PREFIX.length).toLowerCase() === PREFIX;
}

function readPair(text: string): Location | undefined {
  const [, first, second] = (text.length <= MAX_WORD_LENGTH && PAIR.exec(text)) || [];
  const latitude = readDegrees(first, MAX_LATITUDE);
  const longitude = readDegrees(second, MAX_LONGITUDE);
  return latitude === undefined || longitude === undefined ? undefined : { latitude, longitude };
}

function readDegrees(text: string | undefined, max: number): number | undefined {
  const degrees = finiteNumber(text);
  if (degrees === undefined || Math.abs(degrees) > max) return undefined;
  const rounded = Math.round(degrees * DECIMALS) / DECIMALS;
  // Not -0.
  return rounded === 0 ? 0 : rounded;
}
