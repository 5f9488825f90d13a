/** The channels of one sensor, ids without that of the sensor. */
export interface KnownChannels {
  /** Their measurements go to a receiver or onto the page. */
  readonly kept: readonly string[];
  /** Rules drop them. */
  readonly dropped: readonly string[];
}

/** A question for some channels has to leave out so much of the rows. */
const MIN_PART_SAVED = 1 / 2;

/**
 * The channels that a time series is to be asked for; undefined: all. A row needs one measured channel at least: while a sensor
 * is down, Downtime alone has values, and a series of nothing else has rows where one of all channels has a gap.
 */
export function channelsToAsk(known: KnownChannels | undefined): readonly string[] | undefined {
  if (known === undefined) return undefined;
  const { kept, dropped } = known;
  const measured = kept.find(isMeasured) ?? dropped.find(isMeasured);
  if (measured === undefined) return undefined;
  const asked = kept.includes(measured) ? kept : [...kept, measured];
  return asked.length <= (kept.length + dropped.length) * (1 - MIN_PART_SAVED) ? asked : undefined;
}

/** Channels of the product itself, such as Downtime, have negative numbers. */
function isMeasured(channelId: string): boolean {
  return !channelId.startsWith("-");
}
