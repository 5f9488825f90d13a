import { isIP } from "node:net";
import { lookupOf } from "../../../catalog/lookups.ts";
import type { SimLimits } from "../../../world/model.ts";
import { isChannel, isSensor, parentOf, type Subject } from "../../subject.ts";
import type { Texts } from "../property.ts";
import type { Readers } from "../vocabulary.ts";
import { hostOf, intervalOf, tagsOf } from "./current.ts";
import type { TreeMoment } from "./moment.ts";
import { performanceImpact, sensorKinds, totalsOf, unitNumber } from "./sensor-facts.ts";

/**
 * The earlier property set, which has names and types and no definitions: ours. What only accounts, user groups and
 * lookups have is absent here, and so is what no object of the simulated tree has, such as a comment.
 */
export const EARLIER_READERS: Readers<Subject, TreeMoment> = {
  active: (subject, { world, now }) =>
    isChannel(subject) ? undefined : world.state(subject, now).status !== "pausedbyuser",
  // No auto-discovery is under way, so there is no progress either.
  autodiscoveryactive: (subject) => (isChannel(subject) || isSensor(subject) ? undefined : false),
  // Every probe was approved, and is an ordinary one of a server that is no cluster.
  authorized: ofProbes(true),
  clusterprobe: ofProbes(false),
  clusterremoteprobe: ofProbes(false),
  restrictedsensormode: ofProbes(false),
  smallprobe: ofProbes(false),
  probestatus: (subject, { world, now }) => {
    if (isChannel(subject) || subject.kind !== "probe") return undefined;
    return world.state(subject, now).status === "disconnected" ? "disconnected" : "connected";
  },
  probestatusinfo: ofProbes("none"),
  coverage: (subject, moment) => totalsOf(subject, moment)?.coverage,
  downtimetotal: (subject, moment) => totalsOf(subject, moment)?.downSeconds,
  uptimetotal: (subject, moment) => totalsOf(subject, moment)?.upSeconds,
  limitmaxerror: limit("maxError"),
  limitmaxwarning: limit("maxWarning"),
  limitminerror: limit("minError"),
  limitminwarning: limit("minWarning"),
  // The last value of what is measured in percent.
  percent: (subject, { world, now }) => {
    if (!isChannel(subject) || subject.displayUnit !== "%") return undefined;
    return world.lastMeasurement(subject, now)?.displayValue ?? undefined;
  },
  performanceimpact: performanceImpact,
  priority: (subject) => (isChannel(subject) ? undefined : subject.priority),
  scanninginterval: intervalOf,
  message: (subject, { world, now }) => (isChannel(subject) ? undefined : world.state(subject, now).message),
  dnsname: (subject) => {
    const host = hostOf(subject);
    return host === undefined || isIP(host) !== 0 ? undefined : host;
  },
  sensorkind: (subject) => (isChannel(subject) || !isSensor(subject) ? undefined : sensorKinds(subject.type)),
  sensorkindname: (subject) => (isChannel(subject) || !isSensor(subject) ? undefined : subject.typeName),
  ancestors: ancestorsOf,
  descendants: descendantsOf,
  tags: tagsOf,
  lookupdefinitionid: (subject) => (isChannel(subject) ? lookupOf(subject)?.id : undefined),
  lookuptype: (subject) => (isChannel(subject) ? lookupOf(subject)?.type : undefined),
  unittype: unitNumber,
};

function ofProbes<Value>(value: Value): (subject: Subject) => Value | undefined {
  return (subject) => (!isChannel(subject) && subject.kind === "probe" ? value : undefined);
}

function limit(name: keyof SimLimits): (subject: Subject) => number | undefined {
  return (subject) => (isChannel(subject) ? subject.limits[name] : undefined);
}

/** The ids of all objects above, as far as the user sees them. */
function ancestorsOf(subject: Subject, { visibility }: TreeMoment): readonly string[] {
  const ids: string[] = [];
  for (let node = parentOf(subject); node !== undefined; node = node.parent) {
    if (visibility.sees(node)) ids.push(node.id);
  }
  return ids;
}

/** The ids of all objects below: whether one of them is, shows from below. */
function descendantsOf(subject: Subject, { world, visibility }: TreeMoment): Texts | undefined {
  if (isChannel(subject)) return undefined;
  return {
    includes: (id) => {
      const found: Subject | undefined = world.node(id) ?? world.channel(id);
      if (found === undefined || !visibility.sees(found)) return false;
      let above = parentOf(found);
      while (above !== undefined && above !== subject) above = above.parent;
      return above === subject;
    },
  };
}
