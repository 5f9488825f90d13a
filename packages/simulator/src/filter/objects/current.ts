import { scanningInterval } from "../../world/nodes/settings.ts";
import { idOf, isChannel, isDevice, kindOf, parentOf, type SimObject } from "../../world/objects.ts";
import type { Readers } from "../vocabulary.ts";
import type { TreeContext } from "./context.ts";

/** The current property set as probes, groups, devices, sensors and channels have it. */
export const CURRENT_READERS: Readers<SimObject, TreeContext> = {
  "basic.host": hostOf,
  "basic.hostv6": (object) => (!isChannel(object) && isDevice(object) ? object.hostv6 : undefined),
  id: idOf,
  kind: (object) => (isChannel(object) ? "channel" : object.type),
  name: (object) => object.name,
  parentid: (object) => parentOf(object)?.id,
  "basic.parenttags": (object, context) => {
    const parent = parentOf(object);
    return parent === undefined ? [] : context.tagsBelow(parent);
  },
  "basic.tags": tagsOf,
  // No status on channels was seen anywhere; it is the sensor's.
  status: (object, { world, now }) => (isChannel(object) ? undefined : world.state(object, now).status),
  type: kindOf,
  favorite: (object) => (isChannel(object) ? undefined : object.favorite),
  primary: (object) => (isChannel(object) ? object.primary : undefined),
  "autodiscoveryjobgroup.discojobid": (object) =>
    !isChannel(object) && isDevice(object) ? object.discoveryJobId : undefined,
  "intervalgroup.interval": intervalOf,
};

export function hostOf(object: SimObject): string | undefined {
  return !isChannel(object) && isDevice(object) ? object.host : undefined;
}

export function tagsOf(object: SimObject): readonly string[] | undefined {
  return isChannel(object) ? undefined : object.tags;
}

/** Seconds. */
export function intervalOf(object: SimObject): number | undefined {
  return isChannel(object) ? undefined : scanningInterval(object).seconds;
}
