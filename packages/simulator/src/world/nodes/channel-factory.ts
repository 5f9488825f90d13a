import type { SimLimits } from "../model.ts";
import { mix, uniform } from "../noise.ts";
import { type ChannelTemplate, DOWNTIME_NUMBER, type SensorKind } from "../sensors/sensor-kind.ts";
import { DOWNTIME, EXTRA } from "../sensors/sensor-kinds.ts";
import type { Naming } from "./names.ts";
import { ChannelNode, type SensorNode } from "./nodes.ts";

/** Gives a new sensor `count` channels and Downtime, and limits if it is one of those that have some. */
export function addChannels(sensor: SensorNode, count: number, naming: Naming, isGerman = false): void {
  const { spec, salt } = sensor;
  const limited = uniform(salt, 0x11317) < spec.limited;
  const taken = new Set<number>();
  let next: number = spec.firstNumber;
  for (let index = 0; index < count; index++) {
    const { template, label, ordinal } = templateAt(spec, index);
    while (taken.has(next)) next++;
    const number = template.number ?? next;
    taken.add(number);
    const plain = (isGerman ? template.german : undefined) ?? template.name;
    const name = naming(plain.replace("{n}", label), mix(salt, index));
    const limits = limited && ordinal === 0 ? limitsOf(spec, template, salt, index) : {};
    sensor.channels.push(new ChannelNode(sensor, template, { number, name, ordinal, primary: index === 0, limits }));
  }
  const downtime = { number: DOWNTIME_NUMBER, name: DOWNTIME.name, ordinal: 0, primary: false, limits: {} };
  sensor.channels.push(new ChannelNode(sensor, DOWNTIME, downtime));
}

/** The fixed channels first, then the repeated ones round by round, then as many others as were asked for. */
function templateAt(spec: SensorKind, index: number): { template: ChannelTemplate; label: string; ordinal: number } {
  const fixed = spec.channels[index];
  if (fixed !== undefined) return { template: fixed, label: "", ordinal: 0 };
  let rest = index - spec.channels.length;
  if (spec.repeated !== undefined) {
    const { templates, labels, max } = spec.repeated;
    const template = templates[rest % templates.length];
    const ordinal = Math.floor(rest / templates.length) + 1;
    if (template !== undefined && ordinal <= max) {
      return { template, label: labels?.[ordinal - 1] ?? String(ordinal), ordinal };
    }
    rest -= max * templates.length;
  }
  return { template: EXTRA, label: String(rest + 1), ordinal: rest + 1 };
}

/** One in four sets warnings only; a channel that follows a line keeps all of its limits. */
function limitsOf(spec: SensorKind, template: ChannelTemplate, salt: number, index: number): SimLimits {
  const limits: SimLimits = { ...template.limits };
  if (spec.trend?.channel === index || uniform(salt, 0x331 + index) >= 0.25) return limits;
  if (limits.maxWarning !== undefined) delete limits.maxError;
  if (limits.minWarning !== undefined) delete limits.minError;
  return limits;
}
