import { range } from "../curves.ts";
import type { ChannelTemplate } from "../sensor-kind.ts";
import { UNITS } from "../units.ts";

/** Every sensor has it; its value follows the sensor's state, not a curve. */
export const DOWNTIME: ChannelTemplate = {
  name: "Downtime",
  unit: UNITS.percent,
  curve: () => 0,
  bounds: [0, 100],
  whole: true,
};

/** Fills sensors up where the world must have more channels than their kinds offer. */
export const EXTRA: ChannelTemplate = {
  name: "Value {n}",
  unit: UNITS.count,
  curve: range({ low: [0, 40], high: [60, 4000], driver: 60 }),
  whole: true,
};
