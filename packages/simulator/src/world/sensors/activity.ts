import { smooth, uniform } from "../noise.ts";

/** How busy something is over a week; `steady` has no rhythm. */
export type Rhythm = "office" | "shop" | "night" | "sun" | "steady";

const HOUR_MS = 3_600_000;
/** The epoch began on a Thursday; local Monday 00:00 is hour 0 of a week here. */
const EPOCH_HOUR_OF_WEEK = 72;

/** 24 hours of a working day and 24 of a weekend day, each from 0 (idle) to 1 (peak of the week). */
const DAYS: Readonly<Record<Exclude<Rhythm, "steady">, readonly [workday: string, weekend: string]>> = {
  office: ["111111247999778999754322", "111111111222222222211111"],
  shop: ["311111123455665566789985", "421111123567777777889996"],
  night: ["889974211111111111111246", "999985311111111111111358"],
  sun: ["322221123456789999876543", "322221123456789999876543"],
};

function week([workday, weekend]: readonly [string, string]): Float64Array {
  const digits = workday.repeat(5) + weekend.repeat(2);
  return Float64Array.from(digits, (digit) => Number(digit) / 9);
}

const WEEKS = {
  office: week(DAYS.office),
  shop: week(DAYS.shop),
  night: week(DAYS.night),
  sun: week(DAYS.sun),
};

/** Level of the rhythm, 0 to 1, at a local time (ms since the epoch plus the offset of the time zone). */
function activity(rhythm: Rhythm, localTime: number): number {
  if (rhythm === "steady") return 0.5;
  const hours = (((localTime / HOUR_MS + EPOCH_HOUR_OF_WEEK) % 168) + 168) % 168;
  const hour = Math.floor(hours);
  const table = WEEKS[rhythm];
  const left = table[hour] ?? 0;
  const right = table[(hour + 1) % 168] ?? 0;
  return left + (right - left) * (hours - hour);
}

const SWELL_MS = 47 * 60_000;

/** 0 to 1: the rhythm of the week, a swell and jitter. The same salt gives the same load. */
export function load(rhythm: Rhythm, salt: number, at: number, zone: number): number {
  const swell = smooth(salt, at / SWELL_MS + (salt & 0xff) / 256);
  const jitter = uniform(~salt, Math.floor(at / 1000));
  return 0.62 * activity(rhythm, at + zone) + 0.26 * swell + 0.12 * jitter;
}
