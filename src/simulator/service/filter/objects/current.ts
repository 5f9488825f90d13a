import { scanningInterval } from "../../scanning-interval.ts";
import { idOf, isChannel, isDevice, kindOf, parentOf, type Subject } from "../../subject.ts";
import type { Readers } from "../vocabulary.ts";
import type { TreeMoment } from "./moment.ts";

/** The current property set as probes, groups, devices, sensors and channels have it. */
export const CURRENT_READERS: Readers<Subject, TreeMoment> = {
  "basic.host": hostOf,
  "basic.hostv6": (subject) => (!isChannel(subject) && isDevice(subject) ? subject.hostv6 : undefined),
  id: idOf,
  kind: (subject) => (isChannel(subject) ? "channel" : subject.type),
  name: (subject) => subject.name,
  parentid: (subject) => parentOf(subject)?.id,
  "basic.parenttags": (subject, moment) => {
    const parent = parentOf(subject);
    return parent === undefined ? [] : moment.tagsBelow(parent);
  },
  "basic.tags": tagsOf,
  // No status on channels was seen anywhere; it is the sensor's.
  status: (subject, { world, now }) => (isChannel(subject) ? undefined : world.state(subject, now).status),
  type: kindOf,
  favorite: (subject) => (isChannel(subject) ? undefined : subject.favorite),
  primary: (subject) => (isChannel(subject) ? subject.primary : undefined),
  "autodiscoveryjobgroup.discojobid": (subject) =>
    !isChannel(subject) && isDevice(subject) ? subject.discoveryJobId : undefined,
  "intervalgroup.interval": intervalOf,
};

export function hostOf(subject: Subject): string | undefined {
  return !isChannel(subject) && isDevice(subject) ? subject.host : undefined;
}

export function tagsOf(subject: Subject): readonly string[] | undefined {
  return isChannel(subject) ? undefined : subject.tags;
}

/** Seconds. */
export function intervalOf(subject: Subject): number | undefined {
  return isChannel(subject) ? undefined : scanningInterval(subject).seconds;
}
