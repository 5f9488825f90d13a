import { mapEntry } from "../lib/map-entry.ts";
import type { Silence } from "./alertmanager.ts";
import { type CompiledMatchers, compileMatchers, type Labels, type Matcher, NO_LABELS } from "./matchers.ts";
import type { Observed } from "./observed.ts";
import { oneLine, partsOf, sensorKey } from "./own-silences.ts";

/** A silence of a person. */
interface Foreign extends Silence {
  readonly compiled: CompiledMatchers;
  /** Text of its acknowledgements. */
  readonly message: string;
}

export interface Covering {
  readonly server: string;
  readonly sensorId: string;
  readonly silence: Foreign;
  readonly labels: Labels;
}

/** Why a silence or a pause has no effect. */
export interface Complaint {
  /** Id of the silence, or key of the paused object. */
  readonly about: string;
  readonly kind: "too wide" | "bad matcher";
  readonly text: string;
}

const NO_SENSORS: ReadonlyMap<string, Covering> = new Map();

/** Which sensors the silences of persons cover. */
export class Coverage {
  /** The silence that covers a sensor for the longest time, by key of the sensor. */
  readonly covering: ReadonlyMap<string, Covering>;
  readonly complaints: readonly Complaint[];
  /** Keys of remembered acknowledgements that a silence still needs. */
  readonly needed: ReadonlySet<string>;
  readonly #observed: Observed;
  readonly #maxSensors: number;
  readonly #foreign: ReadonlyMap<string, Foreign>;
  readonly #complaints: Complaint[] = [];
  readonly #needed = new Set<string>();
  /** Of all sensors. */
  #labels: readonly Labels[] | undefined;
  readonly #byLabel = new Map<string, ReadonlyMap<string | undefined, readonly Labels[]>>();

  /** @param silences Active ones of persons. */
  constructor(observed: Observed, silences: readonly Silence[], maxSensors: number) {
    this.#observed = observed;
    this.#maxSensors = maxSensors;
    this.#foreign = new Map(silences.map((silence) => [silence.id, compiled(silence)]));
    this.covering = this.#covering();
    this.complaints = this.#complaints;
    this.needed = this.#needed;
  }

  /** Whether the matchers for labels of the tree fit, with at least one of them. */
  couldCover(labels: Labels): boolean {
    return this.#foreign.values().some(({ compiled }) => compiled.couldMatch(labels) === true);
  }

  #covering(): ReadonlyMap<string, Covering> {
    const covering = new Map<string, Covering>();
    const covered = this.#covered();
    for (const silence of this.#foreign.values()) {
      const sensors = covered.get(silence.id) ?? NO_SENSORS;
      if (!this.#isAllowed(silence, sensors.size)) continue;
      for (const [key, each] of sensors) {
        const known = covering.get(key);
        if (known === undefined || known.silence.endsAt < silence.endsAt) covering.set(key, each);
      }
    }
    return covering;
  }

  /** Sensors that each silence covers, by id of the silence and key of the sensor. Stops at the first sensor beyond the limit. */
  #covered(): ReadonlyMap<string, ReadonlyMap<string, Covering>> {
    const covered = new Map<string, Map<string, Covering>>();
    const add = (server: string, sensorId: string, silence: Foreign, labels: Covering["labels"]) => {
      const sensors = mapEntry(covered, silence.id, () => new Map());
      if (sensors.size > this.#maxSensors) return;
      sensors.set(sensorKey(server, sensorId), { server, sensorId, silence, labels });
    };
    for (const { labels, silencedBy } of this.#observed.alerts) {
      const server = labels.get("server") ?? "";
      const objects = this.#observed.servers.get(server);
      const id = labels.get("sensor_id") ?? labels.get("device_id") ?? labels.get("id");
      if (objects === undefined || id === undefined) continue;
      for (const by of silencedBy) {
        const silence = this.#foreign.get(by);
        if (silence === undefined) continue;
        for (const sensorId of objects.sensorsBelow(id)) add(server, sensorId, silence, labels);
      }
    }
    for (const [key, { labels }] of this.#observed.acknowledged) {
      const { server, sensorId } = partsOf(key);
      const known = new Map(Object.entries(labels));
      for (const silence of this.#foreign.values()) {
        if (!silence.compiled.matches(known)) continue;
        this.#needed.add(key);
        add(server, sensorId, silence, known);
      }
    }
    return covered;
  }

  /** Counts what a silence covers, and what it could cover: more sensors may go down. */
  #isAllowed({ id: about, matchers, compiled, createdBy }: Foreign, covered: number): boolean {
    for (const text of compiled.problems) this.#complaints.push({ about, kind: "bad matcher", text });
    if (compiled.problems.length > 0) return false;
    const maxSensors = this.#maxSensors;
    // Without any label of the tree, a silence could cover everything, or be about other software.
    const could = this.#candidates(matchers)
      .values()
      .filter((labels) => compiled.couldMatch(labels) ?? covered > 0);
    if (covered <= maxSensors && could.drop(maxSensors).next().done === true) return true;
    const text = `the silence of ${oneLine(createdBy)} could cover more than ${maxSensors} sensors (sync.max_sensors)`;
    this.#complaints.push({ about, kind: "too wide", text });
    return false;
  }

  /** Labels of all sensors that fit the equality with the fewest ones. Without this, 500 silences of 20,000 sensors take 15 s. */
  #candidates(matchers: readonly Matcher[]): readonly Labels[] {
    this.#labels ??= [...this.#observed.servers.values()].flatMap((side) =>
      Array.from(side.sensors(), ({ id }) => side.labelsOf(id) ?? NO_LABELS),
    );
    const all = this.#labels;
    let fewest = all;
    for (const { name, value, isRegex, isEqual } of matchers) {
      if (isRegex || !isEqual || all[0]?.has(name) !== true) continue;
      const groups = mapEntry(this.#byLabel, name, () => Map.groupBy(all, (labels) => labels.get(name)));
      const group = groups.get(value) ?? [];
      if (group.length < fewest.length) fewest = group;
    }
    return fewest;
  }
}

function compiled(silence: Silence): Foreign {
  const { id, createdBy, comment, matchers } = silence;
  const message = `${oneLine(`${createdBy}: ${comment}`)} (silence ${id})`;
  return { ...silence, compiled: compileMatchers(matchers), message };
}
