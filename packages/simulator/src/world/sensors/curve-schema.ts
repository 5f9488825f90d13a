import { z } from "zod";
import {
  asPercent,
  bursts,
  type Curve,
  decimals,
  drift,
  falling,
  fixed,
  floored,
  held,
  hoursSinceNightlyJob,
  meter,
  mostly,
  octets,
  oneOf,
  percentOf,
  plus,
  product,
  range,
  rate,
  shared,
  times,
  uptimeDays,
  whole,
} from "./curves.ts";

const number = z.number();
const pair = z.tuple([number, number]);
const driver = number.optional();
const levels = z.strictObject({
  low: pair,
  high: pair,
  rhythm: z.enum(["office", "shop", "night", "sun", "steady"]).default("office"),
  driver: number.default(0),
});
export const trend = z.strictObject({
  days: pair,
  full: pair.optional(),
  ends: z.array(z.strictObject({ weight: number, range: pair })),
});

/** A function of curves.ts with its arguments, such as `["times", ["fixed", 1, 2], 0.5]`. */
export const curve: z.ZodType<Curve> = z.lazy(() =>
  z.union([
    z.tuple([z.literal("range"), levels]).transform(([, options]) => range(options)),
    z.tuple([z.literal("rate"), levels]).transform(([, options]) => rate(options)),
    z.tuple([z.literal("octets"), curve, driver]).transform(([, link, by]) => octets(link, by)),
    z.tuple([z.literal("fixed"), number, number, driver]).transform(([, low, high, by]) => fixed(low, high, by)),
    z.tuple([z.literal("oneOf"), z.tuple([number], number), driver]).transform(([, values, by]) => oneOf(values, by)),
    z.tuple([z.literal("bursts"), number, number, driver]).transform(([, share, max, by]) => bursts(share, max, by)),
    z
      .tuple([z.literal("mostly"), number, z.array(number), number, driver])
      .transform(([, usual, others, share, by]) => mostly(usual, others, share, by)),
    z.tuple([z.literal("drift"), number, driver]).transform(([, width, by]) => drift(width, by)),
    z
      .tuple([z.literal("uptimeDays"), number, number, driver])
      .transform(([, low, high, by]) => uptimeDays(low, high, by)),
    z.tuple([z.literal("hoursSinceNightlyJob"), driver]).transform(([, by]) => hoursSinceNightlyJob(by)),
    z.tuple([z.literal("meter"), pair, driver]).transform(([, perDay, by]) => meter(perDay, by)),
    z.tuple([z.literal("falling"), trend]).transform(([, line]) => falling(line)),
    z.tuple([z.literal("whole"), curve]).transform(([, one]) => whole(one)),
    z.tuple([z.literal("floored"), curve]).transform(([, one]) => floored(one)),
    z.tuple([z.literal("held"), curve]).transform(([, one]) => held(one)),
    z.tuple([z.literal("decimals"), curve]).transform(([, one]) => decimals(one)),
    z.tuple([z.literal("shared"), curve]).transform(([, one]) => shared(one)),
    z.tuple([z.literal("times"), curve, number]).transform(([, one, factor]) => times(one, factor)),
    z.tuple([z.literal("plus"), curve, curve]).transform(([, left, right]) => plus(left, right)),
    z.tuple([z.literal("product"), curve, curve]).transform(([, left, right]) => product(left, right)),
    z.tuple([z.literal("percentOf"), curve, curve]).transform(([, total, share]) => percentOf(total, share)),
    z.tuple([z.literal("asPercent"), curve, curve]).transform(([, part, total]) => asPercent(part, total)),
  ]),
);
