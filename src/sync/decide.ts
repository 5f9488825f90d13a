import type { StatusToken } from "../prtg/status.ts";
import type { Silence } from "./alertmanager.ts";
import { type Complaint, Coverage, type Covering } from "./coverage.ts";
import { formatMatcher, type Labels, type Matcher, NO_LABELS } from "./matchers.ts";
import type { Observed, ServerSide, SyncRules } from "./observed.ts";
import { oneLine, ownComment, ownKeyOf, SILENCE_AUTHOR, sensorKey } from "./own-silences.ts";

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
  readonly #coverage: Coverage;
  /** The one that ends last comes first. */
  readonly #own: readonly Own[];
  readonly #complaints: Complaint[] = [];

  constructor(observed: Observed, rules: SyncRules) {
    this.#observed = observed;
    this.#rules = rules;
    const foreign: Silence[] = [];
    const own: Own[] = [];
    for (const silence of observed.silences) {
      const key = ownKeyOf(silence);
      if (key !== undefined) own.push({ ...silence, key });
      else if (silence.state === "active") foreign.push(silence);
    }
    this.#coverage = new Coverage(observed, foreign, rules.maxSensors);
    this.#own = own.sort((a, b) => b.endsAt - a.endsAt);
  }

  decide(): Decision {
    const { covering, complaints, needed } = this.#coverage;
    const acknowledgements = this.#rules.acknowledge ? this.#acknowledgements(covering) : [];
    const { ended, put } = this.#silences(covering);
    return {
      // A limit must not stop one direction while the other one has many changes.
      changes: [...ended, ...alternately(acknowledgements, put)],
      complaints: [...complaints, ...this.#complaints],
      forgotten: this.#forgotten(needed),
    };
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
    return this.#coverage.couldCover(labels);
  }

  #forgotten(needed: ReadonlySet<string>): string[] {
    const { now, acknowledged } = this.#observed;
    return [...acknowledged]
      .filter(([key, { until }]) => now >= until + SLACK_MS && !needed.has(key))
      .map(([key]) => key);
  }
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

/** One of each list in turn. */
function alternately(some: readonly Change[], others: readonly Change[]): readonly Change[] {
  const turns = Array.from({ length: Math.max(some.length, others.length) }, (_, at) => [some[at], others[at]]);
  return turns.flat().filter((change) => change !== undefined);
}
