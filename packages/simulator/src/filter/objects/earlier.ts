import { isIP } from "node:net";
import type { SimLimits } from "../../world/model.ts";
import { isChannel, isSensor, parentOf, type SimObject } from "../../world/objects.ts";
import { lookupOf } from "../../world/sensors/lookups.ts";
import type { TextList } from "../property.ts";
import type { Readers } from "../vocabulary.ts";
import type { TreeContext } from "./context.ts";
import { hostOf, intervalOf, tagsOf } from "./current.ts";
import { performanceImpact, sensorKinds, totalsOf, unitNumber } from "./sensor-facts.ts";

/** The earlier property set has no definitions: ours. What no object of the simulated tree has is absent. */
export const EARLIER_READERS: Readers<SimObject, TreeContext> = {
  active: (object, { world, now }) =>
    isChannel(object) ? undefined : world.state(object, now).status !== "pausedbyuser",
  // No auto-discovery is under way, so there is no progress either.
  autodiscoveryactive: (object) => (isChannel(object) || isSensor(object) ? undefined : false),
  // Every probe was approved, and is an ordinary one of a server that is no cluster.
  authorized: ofProbes(true),
  clusterprobe: ofProbes(false),
  clusterremoteprobe: ofProbes(false),
  restrictedsensormode: ofProbes(false),
  smallprobe: ofProbes(false),
  probestatus: (object, { world, now }) => {
    if (isChannel(object) || object.kind !== "probe") return undefined;
    return world.state(object, now).status === "disconnected" ? "disconnected" : "connected";
  },
  probestatusinfo: ofProbes("none"),
  coverage: (object, context) => totalsOf(object, context)?.coverage,
  downtimetotal: (object, context) => totalsOf(object, context)?.downSeconds,
  uptimetotal: (object, context) => totalsOf(object, context)?.upSeconds,
  limitmaxerror: limit("maxError"),
  limitmaxwarning: limit("maxWarning"),
  limitminerror: limit("minError"),
  limitminwarning: limit("minWarning"),
  // The last value of what is measured in percent.
  percent: (object, { world, now }) => {
    if (!isChannel(object) || object.displayUnit !== "%") return undefined;
    return world.lastMeasurement(object, now)?.displayValue ?? undefined;
  },
  performanceimpact: performanceImpact,
  priority: (object) => (isChannel(object) ? undefined : object.priority),
  scanninginterval: intervalOf,
  message: (object, { world, now }) => (isChannel(object) ? undefined : world.state(object, now).message),
  dnsname: (object) => {
    const host = hostOf(object);
    return host === undefined || isIP(host) !== 0 ? undefined : host;
  },
  sensorkind: (object) => (isChannel(object) || !isSensor(object) ? undefined : sensorKinds(object.type)),
  sensorkindname: (object) => (isChannel(object) || !isSensor(object) ? undefined : object.typeName),
  ancestors: ancestorsOf,
  descendants: descendantsOf,
  tags: tagsOf,
  lookupdefinitionid: (object) => (isChannel(object) ? lookupOf(object)?.id : undefined),
  lookuptype: (object) => (isChannel(object) ? lookupOf(object)?.type : undefined),
  unittype: unitNumber,
};

function ofProbes<Value>(value: Value): (object: SimObject) => Value | undefined {
  return (object) => (!isChannel(object) && object.kind === "probe" ? value : undefined);
}

function limit(name: keyof SimLimits): (object: SimObject) => number | undefined {
  return (object) => (isChannel(object) ? object.limits[name] : undefined);
}

/** The ids of all objects above, as far as the user sees them. */
function ancestorsOf(object: SimObject, { visibility }: TreeContext): readonly string[] {
  const ids: string[] = [];
  for (let node = parentOf(object); node !== undefined; node = node.parent) {
    if (visibility.sees(node)) ids.push(node.id);
  }
  return ids;
}

/** The ids of all objects below: whether one of them is, shows from below. */
function descendantsOf(object: SimObject, { world, visibility }: TreeContext): TextList | undefined {
  if (isChannel(object)) return undefined;
  return {
    includes: (id) => {
      const found: SimObject | undefined = world.node(id) ?? world.channel(id);
      if (found === undefined || !visibility.sees(found)) return false;
      let above = parentOf(found);
      while (above !== undefined && above !== object) above = above.parent;
      return above === object;
    },
  };
}
