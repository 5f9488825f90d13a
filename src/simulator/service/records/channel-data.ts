import type { SimChannel } from "../../world/model.ts";
import { measurementMembers } from "./measurement.ts";
import { channelReference } from "./references.ts";
import type { Rendering } from "./rendering.ts";

/**
 * A channel measurement, JSON. Its fields are not shown anywhere; "references to the corresponding channels" are said to be
 * there, though the specification has no type for these. Ours: such a reference and beside it the fields of
 * `last_measurement`, none of them where nothing was measured yet.
 */
export function renderChannelData(channel: SimChannel, rendering: Rendering): string {
  const members = measurementMembers(rendering.cache.ofChannel(channel), rendering);
  return `{"channel":${channelReference(channel)}${members === undefined ? "" : `,${members}`}}`;
}
