import { FaultSyntaxError } from "../faults/grammar.ts";
import type { Incident, SimNode, SimSensor, World } from "../world/model.ts";
import { isSensor } from "../world/objects.ts";
import { SENSOR_KINDS } from "../world/sensors/sensor-kinds.ts";
import { ScenarioRun, type ScenarioStep, type TimedChange } from "./run.ts";
import type { Scenario } from "./scenario.ts";
import { ScenarioError, type ScenarioProblem } from "./scenario-error.ts";
import { type ActionName, OBJECT_ACTIONS, type Selection, type StepSpec } from "./schema.ts";
import { SelectionError, selectNodes, sensorsOf } from "./selection.ts";
import { DAY_MS, timeOf } from "./times.ts";
import type { KeyPath } from "./yaml-source.ts";

/** Adds and removes faults of the service. */
export interface FaultControl {
  /** @throws FaultSyntaxError for a fault that cannot be added */
  check(fault: string): void;
  /** @throws FaultSyntaxError */
  add(fault: string): void;
  /** False when none is in force that is written so. */
  remove(fault: string): boolean;
}

const NO_FAULTS: FaultControl = { check: () => undefined, add: () => undefined, remove: () => false };

/**
 * Applies a scenario to a world, beginning at `begin` (milliseconds since the epoch). Objects are selected now: what
 * the scenario itself adds cannot be selected, and what it renames has its present name.
 * @throws ScenarioError that names every step that cannot be, and then nothing has happened
 */
export function compileScenario(
  scenario: Scenario,
  world: World,
  begin: number,
  faults: FaultControl = NO_FAULTS,
): ScenarioRun {
  const laying = new ScenarioCompiler(scenario, world, begin, faults);
  const { steps } = scenario.spec;
  const order = steps.map((spec, index) => ({ spec, index, at: timeOf(spec.at, begin) }));
  order.sort((a, b) => a.at - b.at);
  for (const { spec, index, at } of order) laying.add(spec, ["steps", index], at);
  return laying.finish();
}

/** A step with the objects that it is about. */
interface ObjectStep {
  readonly spec: StepSpec;
  readonly path: KeyPath;
  readonly at: number;
  readonly nodes: readonly SimNode[];
  readonly step: ScenarioStep;
}

class ScenarioCompiler {
  readonly #scenario: Scenario;
  readonly #world: World;
  readonly #begin: number;
  readonly #faults: FaultControl;
  readonly #problems: ScenarioProblem[] = [];
  readonly #cancels: (() => void)[] = [];
  readonly #steps: ScenarioStep[] = [];
  readonly #changes: TimedChange[] = [];
  readonly #acknowledgements: ObjectStep[] = [];
  /** Objects that earlier steps remove. */
  readonly #removed = new Set<SimNode>();

  constructor(scenario: Scenario, world: World, begin: number, faults: FaultControl) {
    this.#scenario = scenario;
    this.#world = world;
    this.#begin = begin;
    this.#faults = faults;
  }

  /** Steps come in order of time. */
  add(spec: StepSpec, path: KeyPath, at: number): void {
    if (spec.fault !== undefined) this.#addFault(spec.fault, spec, path, at);
    if (spec.select === undefined) return;
    const nodes = this.#select(spec.select, [...path, "select"]);
    const action = OBJECT_ACTIONS.find((name) => spec[name] !== undefined);
    if (nodes === undefined || action === undefined) return;
    const step = { at, text: describeStep(spec, action, nodes) };
    const draft = { spec, path, at, nodes, step };
    this.#steps.push(step);
    this.#addAction(action, draft);
  }

  /** @throws ScenarioError */
  finish(): ScenarioRun {
    for (const draft of this.#acknowledgements) this.#checkAcknowledgement(draft);
    const cancel = (): void => {
      for (const one of this.#cancels) one();
    };
    const { source, spec } = this.#scenario;
    if (this.#problems.length > 0) {
      cancel();
      const inOrder = this.#problems.toSorted((a, b) => a.line - b.line || a.column - b.column);
      throw new ScenarioError(source.file, inOrder);
    }
    for (const { spec: one, nodes, at } of this.#acknowledgements) {
      for (const sensor of this.#alarmsOf(nodes, at)) this.#world.acknowledge(sensor.id, at, one.message);
    }
    // The end of a fault can lie after later steps.
    const changes = this.#changes.toSorted((a, b) => a.at - b.at);
    return new ScenarioRun({ name: spec.name, begin: this.#begin, steps: this.#steps, changes, cancel });
  }

  #addFault(fault: string, { for: lengthMs, repeat }: StepSpec, path: KeyPath, at: number): void {
    try {
      this.#faults.check(fault);
    } catch (error) {
      if (!(error instanceof FaultSyntaxError)) throw error;
      this.#addProblem([...path, "fault"], error.message);
      return;
    }
    const step = { at, text: `fault: ${fault}` };
    this.#steps.push(step);
    const { times, every } = repeat ?? { times: 1, every: 0 };
    for (let round = 0; round < times; round++) {
      const start = at + round * every;
      let inForce = false;
      const end = (): void => {
        if (inForce) this.#faults.remove(fault);
        inForce = false;
      };
      const begin = (): void => {
        this.#faults.add(fault);
        inForce = true;
      };
      this.#changes.push({ at: start, step, apply: begin });
      if (lengthMs !== undefined) this.#changes.push({ at: start + lengthMs, step, apply: end });
      this.#cancels.push(end);
    }
  }

  #addAction(action: ActionName, draft: ObjectStep): void {
    const { spec, nodes } = draft;
    switch (action) {
      case "status":
      case "set":
        for (const node of nodes) this.#addIncident(action, draft, node);
        return;
      case "acknowledge":
        // Checked last: later steps can still affect these sensors.
        this.#acknowledgements.push(draft);
        return;
      case "rename":
        for (const node of nodes) {
          const name = (spec.rename ?? "").replaceAll("{name}", () => node.name);
          this.#addChange(draft, () => this.#world.rename(node.id, name));
        }
        return;
      case "move":
        this.#move(draft);
        return;
      case "add":
        this.#add(draft);
        return;
      case "remove":
        for (const node of nodes) {
          this.#removed.add(node);
          this.#addChange(draft, () => this.#world.remove(node.id));
        }
    }
  }

  #addIncident(action: "status" | "set", { spec, path, at }: ObjectStep, node: SimNode): void {
    const effect = action === "status" ? statusOf(spec) : this.#valueEffectOf(spec, path, node);
    if (effect === undefined) return;
    const lengthMs = spec.for ?? Infinity;
    const [everyMs, times] =
      spec.repeat !== undefined ? [spec.repeat.every, spec.repeat.times] : [DAY_MS, spec.daily ? Infinity : 1];
    const incident: Incident = { start: at, lengthMs, everyMs, times, effect };
    this.#reportRangeError([...path, action], () => this.#cancels.push(this.#world.addIncident(node.id, incident)));
  }

  #valueEffectOf({ set }: StepSpec, path: KeyPath, node: SimNode): Incident["effect"] | undefined {
    if (set === undefined) return undefined;
    const channels = isSensor(node) ? node.channels : [];
    const channel = channels.find(({ name, number }) => name === set.channel || number === set.channel);
    if (channel !== undefined) return { kind: "reading", channel: channel.number, to: set.to, overMs: set.over ?? 0 };
    const names = channels.map(({ name }) => JSON.stringify(name)).join(", ");
    const text = isSensor(node) ? `no such channel: ${label(node)} has ${names}` : `${label(node)} is not a sensor`;
    this.#problems.push(this.#scenario.source.problem([...path, "set", "channel"], text));
    return undefined;
  }

  #move(draft: ObjectStep): void {
    const { spec, path, nodes } = draft;
    if (spec.move === undefined) return;
    const targets = this.#select(spec.move, [...path, "move"]);
    const [target, other] = targets ?? [];
    if (target === undefined) return;
    if (other !== undefined) {
      this.#addProblem([...path, "move"], `more than one object matches: ${label(target)}, ${label(other)}`);
      return;
    }
    for (const node of nodes) {
      const fault = placementProblem(node, target);
      if (fault === undefined) this.#addChange(draft, () => this.#world.move(node.id, target.id));
      else this.#addProblem([...path, "move"], fault);
    }
  }

  #add(draft: ObjectStep): void {
    const { spec, path, at, nodes } = draft;
    const { sensor, device, count = 1, kind } = spec.add ?? {};
    if (kind !== undefined && !SENSOR_KINDS.has(kind)) {
      this.#addProblem([...path, "add", "kind"], `there is no sensor kind ${kind}`);
      return;
    }
    for (const node of nodes) {
      const fits = sensor === undefined ? node.kind === "group" || node.kind === "probe" : node.kind === "device";
      if (!fits) {
        this.#addProblem(
          [...path, "add"],
          `${label(node)} cannot hold a ${sensor === undefined ? "device" : "sensor"}`,
        );
        return;
      }
      for (let number = 1; number <= count; number++) {
        const name = (sensor ?? device ?? "").replaceAll("{n}", String(number));
        this.#addChange(draft, () => {
          if (sensor === undefined) this.#world.addDevice(node.id, name, at);
          else this.#world.addSensor(node.id, name, at, kind);
        });
      }
    }
  }

  #addChange({ at, step }: ObjectStep, apply: () => void): void {
    this.#changes.push({ at, step, apply });
  }

  #checkAcknowledgement({ nodes, at, path }: ObjectStep): void {
    if (this.#alarmsOf(nodes, at).length > 0) return;
    const [first] = sensorsOf(nodes);
    const status =
      first === undefined ? "there is no sensor" : `${label(first)} is ${this.#world.state(first, at).status}`;
    this.#addProblem([...path, "acknowledge"], `nothing is down at ${new Date(at).toISOString()}: ${status}`);
  }

  #alarmsOf(nodes: readonly SimNode[], at: number): readonly SimSensor[] {
    return sensorsOf(nodes).filter((sensor) => this.#world.state(sensor, at).status === "down");
  }

  #select(selection: Selection, path: KeyPath): readonly SimNode[] | undefined {
    try {
      const nodes = selectNodes(this.#world, selection);
      const gone = nodes.find((node) => this.#isRemoved(node));
      if (gone === undefined) return nodes;
      this.#addProblem(path, `${label(gone)} was removed by an earlier step`);
    } catch (error) {
      if (!(error instanceof SelectionError)) throw error;
      this.#addProblem(error.key === undefined ? path : [...path, error.key], error.message);
    }
    return undefined;
  }

  #isRemoved(node: SimNode): boolean {
    for (let one: SimNode | undefined = node; one !== undefined; one = one.parent) {
      if (this.#removed.has(one)) return true;
    }
    return false;
  }

  #reportRangeError(path: KeyPath, run: () => void): void {
    try {
      run();
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.#addProblem(path, error.message);
    }
  }

  #addProblem(path: KeyPath, text: string): void {
    this.#problems.push(this.#scenario.source.problem(path, text));
  }
}

function statusOf({ status, message }: StepSpec): Incident["effect"] | undefined {
  return status === undefined ? undefined : { kind: "status", status, message };
}

/** What can hold what; a probe stays where it is. */
function placementProblem(node: SimNode, target: SimNode): string | undefined {
  for (let one: SimNode | undefined = target; one !== undefined; one = one.parent) {
    if (one === node) return `${label(node)} cannot be moved into itself`;
  }
  const holders = node.kind === "sensor" ? ["device"] : node.kind === "probe" ? [] : ["probe", "group"];
  return holders.includes(target.kind) ? undefined : `${label(target)} cannot hold ${label(node)}`;
}

function label({ kind, id, name }: SimNode): string {
  return `the ${kind} ${id} (${name})`;
}

function describeStep(spec: StepSpec, action: ActionName, nodes: readonly SimNode[]): string {
  const [first] = nodes;
  const more = nodes.length === 1 ? "" : ` and ${nodes.length - 1} more`;
  const whom = first === undefined ? "nothing" : `${label(first)}${more}`;
  switch (action) {
    case "status":
      return `${spec.status}: ${whom}`;
    case "set":
      return `channel ${spec.set?.channel} to ${spec.set?.to}: ${whom}`;
    case "rename":
      return `rename to ${spec.rename}: ${whom}`;
    default:
      return `${action}: ${whom}`;
  }
}
