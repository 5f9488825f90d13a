import { DOWNTIME, EXTRA } from "./kinds/common.ts";
import type { SimLimits } from "./model.ts";
import { seasoned } from "./names.ts";
import { ChannelNode, DeviceNode, type NodeOptions, SensorNode, TreeNode } from "./nodes.ts";
import { mix, uniform } from "./noise.ts";
import { type ChannelTemplate, DOWNTIME_NUMBER, type SensorKind } from "./sensor-kind.ts";

export interface NewSensor {
  readonly parent: TreeNode;
  readonly name: string;
  readonly spec: SensorKind;
  /** Without Downtime. */
  readonly channels: number;
  readonly zone: number;
  readonly bornAt: number;
}

/** Makes nodes; ids ascend, with holes as in a tree that people have worked on. */
export class NodeFactory {
  readonly #seed: number;
  readonly #shift: number;
  readonly #counts = new Map<string, number>();
  #lastId = 0;

  constructor(seed: number) {
    this.#seed = seed;
    this.#shift = uniform(seed, 0x5ea7) * 1000;
  }

  root(bornAt: number): TreeNode {
    return new TreeNode("root", {
      id: "0",
      parent: undefined,
      name: "Root",
      type: "root",
      typeName: "Root",
      tags: [],
      priority: 3,
      favorite: false,
      salt: mix(this.#seed, 0),
      seat: 0,
      bornAt,
    });
  }

  probe(parent: TreeNode, name: string, bornAt: number): TreeNode {
    return new TreeNode(
      "probe",
      this.#options({ parent, name, type: "probenode", typeName: "Probe", tags: ["probe"], bornAt }, "probe"),
    );
  }

  group(parent: TreeNode, name: string, tags: readonly string[], bornAt: number): TreeNode {
    const options = this.#options({ parent, name, type: "group", typeName: "Group", tags, bornAt }, "group");
    return new TreeNode("group", { ...options, name: seasoned(name, options.salt) });
  }

  /** `name` makes the name from the node's own salt. */
  device(
    parent: TreeNode,
    name: (salt: number) => string,
    type: string,
    tags: readonly string[],
    host: (salt: number) => string,
    bornAt: number,
  ): DeviceNode {
    const options = this.#options(
      { parent, name: "", type, typeName: type === "device" ? "Device" : type, tags, bornAt },
      "device",
    );
    return new DeviceNode({ ...options, name: name(options.salt) }, host(options.salt));
  }

  sensor({ parent, name, spec, channels, zone, bornAt }: NewSensor): SensorNode {
    const { type, typeName, tags } = spec;
    const options = this.#options({ parent, name, type, typeName, tags, bornAt }, "sensor");
    const intervalSeconds = intervalOf(spec, options.salt);
    const sensor = new SensorNode({
      ...options,
      spec,
      zone,
      intervalSeconds,
      intervalInherited: intervalSeconds === 60,
    });
    addChannels(sensor, channels);
    return sensor;
  }

  #options(
    own: Pick<NodeOptions, "parent" | "name" | "type" | "typeName" | "tags" | "bornAt">,
    kind: string,
  ): NodeOptions {
    const count = this.#counts.get(kind) ?? 0;
    this.#counts.set(kind, count + 1);
    // The product's own probe and its device have small numbers, everything else starts above 2000.
    const salt = mix(this.#seed, 0x1d5 + this.#lastId);
    this.#lastId = this.#lastId === 0 ? 1 : Math.max(2000, this.#lastId) + 1 + (salt % 8 === 0 ? salt % 5 : 0);
    const favorite = uniform(salt, 0xfa5) < 0.02;
    const draw = uniform(salt, 0x9110);
    const priority = draw < 0.8 ? 3 : draw < 0.88 ? 4 : draw < 0.92 ? 5 : draw < 0.97 ? 2 : 1;
    return { ...own, id: String(this.#lastId), priority, favorite, salt, seat: count + this.#shift };
  }
}

function intervalOf(spec: SensorKind, salt: number): number {
  if (spec.intervalSeconds !== undefined) return spec.intervalSeconds;
  const draw = uniform(salt, 0x1e7);
  if (spec.canBeFast && draw < 0.06) return 10;
  if (spec.canBeFast && draw < 0.16) return 30;
  return draw > 0.97 ? 300 : 60;
}

function addChannels(sensor: SensorNode, count: number): void {
  const { spec, salt } = sensor;
  const limited = uniform(salt, 0x11317) < spec.limited;
  const taken = new Set<number>();
  let next: number = spec.firstNumber;
  for (let index = 0; index < count; index++) {
    const { template, label, ordinal } = templateAt(spec, index);
    while (taken.has(next)) next++;
    const number = template.number ?? next;
    taken.add(number);
    const name = seasoned(template.name.replace("{n}", label), mix(salt, index));
    const limits = limited && ordinal === 0 ? limitsOf(template, salt, index, spec.trend?.channel === index) : {};
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
    const { templates, label, most } = spec.repeated;
    const template = templates[rest % templates.length];
    const ordinal = Math.floor(rest / templates.length) + 1;
    if (template !== undefined && ordinal <= most) return { template, label: label(ordinal), ordinal };
    rest -= most * templates.length;
  }
  return { template: EXTRA, label: String(rest + 1), ordinal: rest + 1 };
}

/** Some people set warnings only, and round numbers that differ a little; what follows a line keeps all of its limits. */
function limitsOf(template: ChannelTemplate, salt: number, index: number, followsLine: boolean): SimLimits {
  const limits: SimLimits = { ...template.limits };
  if (followsLine) return limits;
  if (uniform(salt, 0x331 + index) < 0.25) {
    if (limits.maxWarning !== undefined) delete limits.maxError;
    if (limits.minWarning !== undefined) delete limits.minError;
  }
  return limits;
}
