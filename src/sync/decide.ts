import { mapEntry } from "../lib/map-entry.ts";
import { shortLine } from "../lib/printable-text.ts";
import type { StatusToken } from "../prtg/status.ts";
import type { Alert, Silence } from "./alertmanager.ts";
import { type CompiledMatchers, compileMatchers, formatMatcher, type Labels, type Matcher } from "./matchers.ts";
import { ownComment, ownKeyOf, partsOf, SILENCE_AUTHOR, sensorKey } from "./own-silences.ts";

/** A sensor as the last poll of statuses saw it. */
export interface SyncSensor {
  readonly id: string;
  readonly path: string;
  readonly status: StatusToken | undefined;
  readonly message: string | undefined;
}

/** A probe, group or device that is paused itself, and not through a parent. */
export interface PausedObject {
  readonly id: string;
  readonly path: string;
  readonly message: string | undefined;
  readonly sensors: number;
  /** For each list of the configuration, the matchers of its silence. `undefined`: none, for instance without a host. */
  readonly matchers: readonly (readonly Matcher[] | undefined)[];
}

/** One PRTG server, with the objects that the configuration selects. */
export interface ServerSide {
  /** The poll of the statuses began at this time, milliseconds since the epoch. */
  readonly statusAt: number;
  sensors(): Iterable<SyncSensor>;
  sensor(id: string): SyncSensor | undefined;
  /** The object itself if it is a sensor. */
  sensorsBelow(id: string): Iterable<string>;
  /** Labels of its alerts, as far as the tree has them. */
  labelsOf(sensorId: string): ReadonlyMap<string, string> | undefined;
  pausedObjects(): Iterable<PausedObject>;
  /** With its own key, so that it can be changed. */
  readonly isChangeable: boolean;
}

/** An acknowledgement that was sent or is about to be sent. Times in milliseconds since the epoch. */
export interface Acknowledged {
  readonly silence: string;
  readonly sentAt: number;
  readonly until: number;
  /** Labels of the alert that the silence covered. PRTG's acknowledgement may have ended the alert. */
  readonly labels: Readonly<Record<string, string>>;
}

export interface Observed {
  readonly now: number;
  readonly silences: readonly Silence[];
  readonly alerts: readonly Alert[];
  /** By name. Servers that could not be read lately are missing: nothing changes for them. */
  readonly servers: ReadonlyMap<string, ServerSide>;
  /** By `sensorKey`. */
  readonly acknowledged: ReadonlyMap<string, Acknowledged>;
  /** `acknowledged` lacks none since this time, milliseconds since the epoch. Other processes may have sent earlier ones. */
  readonly knowsSince: number;
}

export interface SyncRules {
  readonly spanMs: number;
  readonly maxSensors: number;
  readonly acknowledge: boolean;
  readonly silenceAcknowledged: boolean;
  readonly silencePaused: boolean;
}

export type Change =
  | ({ readonly kind: "acknowledge"; readonly server: string; readonly sensorId: string } & Acknowledgement)
  | ({ readonly kind: "silence"; readonly key: string; readonly why: "new" | "extend" | "replace" } & PutSilence)
  | { readonly kind: "expire"; readonly key: string; readonly id: string; readonly why: string };

interface Acknowledgement {
  readonly path: string;
  /** Whole minutes. */
  readonly seconds: number;
  readonly message: string;
  readonly silence: string;
  readonly labels: Readonly<Record<string, string>>;
}

interface PutSilence {
  /** `undefined`: a new one. */
  readonly id: string | undefined;
  readonly matchers: readonly Matcher[];
  readonly startsAt: number;
  readonly endsAt: number;
  readonly createdBy: string;
  readonly comment: string;
}

/** Why a silence or a pause has no effect. */
export interface Complaint {
  /** Id of the silence, or key of the paused object. */
  readonly about: string;
  readonly kind: "too wide" | "bad matcher";
  readonly text: string;
}

export interface Decision {
  /** Ends of silences first, because they let alerts through. */
  readonly changes: readonly Change[];
  readonly complaints: readonly Complaint[];
  /** Keys of acknowledgements that are over, and that no silence needs any more. */
  readonly forgotten: readonly string[];
}

/** Clocks differ, and PRTG rounds up to minutes. */
const SLACK_MS = 2 * 60_000;
const MINUTE_MS = 60_000;
const NO_LABELS: ReadonlyMap<string, string> = new Map();
const NO_SENSORS: ReadonlyMap<string, Covering> = new Map();
const MAX_MESSAGE = 300;

/** A silence of a person. */
interface Foreign extends Silence {
  readonly compiled: CompiledMatchers;
  /** Text of its acknowledgements. */
  readonly message: string;
}

interface Own extends Silence {
  readonly key: { readonly text: string; readonly server: string };
}

/**
 * What both sides lack. What came from one side never goes back: silences of this program cover nothing, and acknowledgements of this
 * program, or of a sensor that a silence covers anyway, need no silence.
 */
export function decide(observed: Observed, rules: SyncRules): Decision {
  return new Round(observed, rules).decide();
}

class Round {
  readonly #observed: Observed;
  readonly #rules: SyncRules;
  readonly #foreign: ReadonlyMap<string, Foreign>;
  /** The one that ends last comes first. */
  readonly #own: readonly Own[];
  /** Keys of remembered acknowledgements that a silence of a person needs. */
  readonly #needed = new Set<string>();
  readonly #complaints: Complaint[] = [];
  /** Of all sensors. */
  #labels: readonly Labels[] | undefined;
  readonly #byLabel = new Map<string, ReadonlyMap<string | undefined, readonly Labels[]>>();

  constructor(observed: Observed, rules: SyncRules) {
    this.#observed = observed;
    this.#rules = rules;
    const foreign = new Map<string, Foreign>();
    const own: Own[] = [];
    for (const silence of observed.silences) {
      const key = ownKeyOf(silence);
      if (key !== undefined) own.push({ ...silence, key });
      else if (silence.state === "active") foreign.set(silence.id, compiled(silence));
    }
    this.#foreign = foreign;
    this.#own = own.sort((a, b) => b.endsAt - a.endsAt);
  }

  decide(): Decision {
    const covering = this.#covering();
    const acknowledgements = this.#rules.acknowledge ? this.#acknowledgements(covering) : [];
    const { ended, put } = this.#silences(covering);
    return {
      // A limit must not stop one direction while the other one has many changes.
      changes: [...ended, ...alternately(acknowledgements, put)],
      complaints: this.#complaints,
      forgotten: this.#forgotten(),
    };
  }

  /** The silence that covers a sensor for the longest time, by key of the sensor. */
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
      if (sensors.size > this.#rules.maxSensors) return;
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
    const { maxSensors } = this.#rules;
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

  #acknowledgements(covering: ReadonlyMap<string, Covering>): Change[] {
    const { now, servers, acknowledged } = this.#observed;
    const changes: Change[] = [];
    for (const [key, { server, sensorId, silence, labels }] of covering) {
      const objects = servers.get(server);
      const sensor = objects?.sensor(sensorId);
      if (objects === undefined || sensor === undefined || !objects.isChangeable || !isAlarm(sensor.status)) continue;
      // The poll may not show it yet.
      if ((acknowledged.get(key)?.sentAt ?? Number.NEGATIVE_INFINITY) >= objects.statusAt) continue;
      const minutes = Math.ceil(Math.min(this.#rules.spanMs, silence.endsAt - now) / MINUTE_MS);
      // It ended since it was read, or the clocks differ. PRTG takes 0 seconds for an acknowledgement without an end.
      if (minutes <= 0) continue;
      const { path } = sensor;
      const { id, message } = silence;
      changes.push({
        ...{ kind: "acknowledge", server, sensorId, path, seconds: minutes * 60, message, silence: id },
        labels: Object.fromEntries(labels),
      });
    }
    return changes;
  }

  #silences(covering: ReadonlyMap<string, Covering>): { readonly ended: Change[]; readonly put: Change[] } {
    const { now, servers } = this.#observed;
    const known = new Set(this.#own.map(({ key }) => key.text));
    const wanted = new Map(
      [...servers].flatMap(([server, objects]) => [...this.#wanted(server, objects, covering, known)]),
    );
    const own = new Map<string, Silence>();
    const ended: Change[] = [];
    for (const silence of this.#own) {
      const { key } = silence;
      // What happens on a server that cannot be read is unknown: its silences run out.
      if (!servers.has(key.server)) continue;
      const end = (why: string) => ended.push({ kind: "expire", key: key.text, id: silence.id, why });
      if (!wanted.has(key.text)) end("it is over in PRTG");
      else if (own.has(key.text)) end("it is there twice");
      else own.set(key.text, silence);
    }
    const put: Change[] = [];
    const endOf = ([key]: readonly [string, Wanted]) => own.get(key)?.endsAt ?? Number.MAX_SAFE_INTEGER;
    // A silence that runs out cannot wait.
    for (const [key, { matchers, comment, server }] of [...wanted].sort((a, b) => endOf(a) - endOf(b))) {
      const known = own.get(key);
      const why = known === undefined ? "new" : isSame(known.matchers, matchers) ? "extend" : "replace";
      if (known !== undefined && why === "extend" && known.endsAt - now > this.#rules.spanMs / 2) continue;
      put.push({
        ...{ kind: "silence", key, why, id: known?.id, matchers, comment },
        ...{
          startsAt: known?.startsAt ?? now,
          endsAt: now + this.#rules.spanMs,
          createdBy: `${SILENCE_AUTHOR}${server}`,
        },
      });
    }
    return { ended, put };
  }

  *#wanted(
    server: string,
    objects: ServerSide,
    covering: ReadonlyMap<string, Covering>,
    known: ReadonlySet<string>,
  ): Generator<[key: string, Wanted]> {
    if (this.#rules.silenceAcknowledged) {
      for (const { id, status, message = "", path } of objects.sensors()) {
        if (status !== "acknowledged" || this.#isCovered(server, id, message, covering)) continue;
        const key = `acknowledged ${sensorKey(server, id)}`;
        if (!known.has(key) && this.#couldBeOurs(objects.labelsOf(id) ?? NO_LABELS)) continue;
        const matchers = [equal("server", server), equal("sensor_id", id)];
        yield [
          key,
          { server, matchers, comment: ownComment(oneLine(`Acknowledged in PRTG: ${path}: ${message}`), key) },
        ];
      }
    }
    if (!this.#rules.silencePaused) return;
    for (const { id, path, message = "", sensors, matchers } of objects.pausedObjects()) {
      const text = oneLine(`Paused in PRTG: ${path}${message === "" ? "" : `: ${message}`}`);
      const about = `paused ${sensorKey(server, id)}`;
      if (sensors > this.#rules.maxSensors) {
        const { maxSensors } = this.#rules;
        const wide = `the pause of ${path} has ${sensors} sensors, more than sync.max_sensors (${maxSensors})`;
        this.#complaints.push({ about, kind: "too wide", text: wide });
        continue;
      }
      for (const [at, each] of matchers.entries()) {
        if (each === undefined) continue;
        const key = `${about} #${at}`;
        yield [key, { server, matchers: each, comment: ownComment(text, key) }];
      }
    }
  }

  /** The acknowledgement came from a silence, or a silence covers the sensor anyway. */
  #isCovered(server: string, id: string, message: string, covering: ReadonlyMap<string, Covering>): boolean {
    const key = sensorKey(server, id);
    const ours = this.#observed.acknowledged.get(key);
    if (ours !== undefined && this.#observed.now < ours.until + SLACK_MS) return true;
    return covering.has(key) || /\(silence [\w-]+\)$/.test(message);
  }

  /** An acknowledgement that another process sent for a silence. It lasts for a span at most. */
  #couldBeOurs(labels: Labels): boolean {
    const { now, knowsSince } = this.#observed;
    if (now > knowsSince + this.#rules.spanMs + SLACK_MS) return false;
    return this.#foreign.values().some(({ compiled }) => compiled.couldMatch(labels) === true);
  }

  /** After `#covered`. */
  #forgotten(): string[] {
    const { now, acknowledged } = this.#observed;
    return [...acknowledged]
      .filter(([key, { until }]) => now >= until + SLACK_MS && !this.#needed.has(key))
      .map(([key]) => key);
  }
}

function compiled(silence: Silence): Foreign {
  const { id, createdBy, comment, matchers } = silence;
  const message = `${oneLine(`${createdBy}: ${comment}`)} (silence ${id})`;
  return { ...silence, compiled: compileMatchers(matchers), message };
}

interface Covering {
  readonly server: string;
  readonly sensorId: string;
  readonly silence: Foreign;
  readonly labels: Labels;
}

interface Wanted {
  readonly server: string;
  readonly matchers: readonly Matcher[];
  readonly comment: string;
}

function isAlarm(status: StatusToken | undefined): boolean {
  return status === "down" || status === "partialdown";
}

function equal(name: string, value: string): Matcher {
  return { name, value, isRegex: false, isEqual: true };
}

/** Alertmanager may sort them. */
function isSame(a: readonly Matcher[], b: readonly Matcher[]): boolean {
  const texts = (matchers: readonly Matcher[]) => matchers.map(formatMatcher).sort().join();
  return texts(a) === texts(b);
}

/** Cut first: comments of silences can have megabytes. */
function oneLine(text: string): string {
  return shortLine(text.slice(0, 10 * MAX_MESSAGE), MAX_MESSAGE);
}

/** One of each list in turn. */
function alternately(some: readonly Change[], others: readonly Change[]): readonly Change[] {
  const turns = Array.from({ length: Math.max(some.length, others.length) }, (_, at) => [some[at], others[at]]);
  return turns.flat().filter((change) => change !== undefined);
}
