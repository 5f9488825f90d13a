import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { OwnMetric } from "./own-metrics.ts";

export type Labels = Readonly<Record<string, string>>;

export interface NumberSeries {
  readonly labels: Labels;
  readonly value: number;
}

export interface HistogramSeries {
  readonly labels: Labels;
  /** Observations by the bound up to which they are, each in one bucket; those beyond the last are in none. */
  readonly bucketValues: Readonly<Record<string, number>>;
  readonly sum: number;
  readonly count: number;
}

/*
 * prom-client gives its values away as what a page needs, asynchronously. Its state is plain, by labels; a test notices
 * where another release has it elsewhere.
 */
class ReadableCounter extends Counter<string> {
  declare readonly hashMap: Readonly<Record<string, NumberSeries>>;
}
class ReadableGauge extends Gauge<string> {
  declare readonly hashMap: Readonly<Record<string, NumberSeries>>;
}
class ReadableHistogram extends Histogram<string> {
  declare readonly hashMap: Readonly<Record<string, HistogramSeries>>;
  declare readonly upperBounds: readonly number[];
}

export type Instrument = ReadableCounter | ReadableGauge | ReadableHistogram;

interface Declared {
  readonly type: OwnMetric["type"];
  readonly collect: (() => void) | undefined;
  /** Recordings so far, and times that series were dropped. */
  changes: number;
}

const declarations = new WeakMap<object, Declared>();

/** The metric of a declaration, in a registry. `collect` is called whenever its values are asked for. */
export function createInstrument(
  { name, help, labels, type, buckets = [] }: OwnMetric,
  registry: Registry,
  collect: (() => void) | undefined,
): Instrument {
  const common = { name, help, labelNames: [...labels], registers: [registry], ...(collect && { collect }) };
  const instrument = create();
  declarations.set(instrument, { type, collect, changes: 0 });
  return instrument;

  function create(): Instrument {
    if (type === "counter") return new ReadableCounter(common);
    return type === "gauge" ? new ReadableGauge(common) : new ReadableHistogram({ ...common, buckets: [...buckets] });
  }
}

/** What an instrument holds now. */
export interface InstrumentState {
  readonly type: OwnMetric["type"];
  /** By a text that stands for the labels. */
  readonly series: Readonly<Record<string, NumberSeries>> | Readonly<Record<string, HistogramSeries>>;
  /** Upper bounds of the buckets of a histogram, but for infinity. */
  readonly bounds: readonly number[];
  /** Rises with whatever may change the series: where it is what it was, they are too. */
  readonly changes: number;
}

const NO_BOUNDS: readonly number[] = [];

/** Undefined for metrics of others, which only prom-client can read. */
export function readInstrument(metric: object | undefined): InstrumentState | undefined {
  const declared = metric && declarations.get(metric);
  if (metric === undefined || declared === undefined) return undefined;
  declared.collect?.();
  // After `collect`, which records.
  const { type, changes } = declared;
  if (metric instanceof ReadableHistogram) return { type, series: metric.hashMap, bounds: metric.upperBounds, changes };
  const isNumber = metric instanceof ReadableCounter || metric instanceof ReadableGauge;
  return isNumber ? { type, series: metric.hashMap, bounds: NO_BOUNDS, changes } : undefined;
}

/** Drops all series. */
export function clearSeries(instrument: Instrument): void {
  declarationOf(instrument).changes++;
  instrument.reset();
}

/** Drops every series that has these labels. */
export function forgetSeries(instrument: Instrument, wanted: Labels): void {
  const declared = declarationOf(instrument);
  for (const { labels } of Object.values<{ readonly labels: Labels }>(instrument.hashMap)) {
    if (!Object.entries(wanted).every(([name, value]) => labels[name] === value)) continue;
    declared.changes++;
    instrument.remove({ ...labels });
  }
}

function declarationOf(instrument: Instrument): Declared {
  const declared = declarations.get(instrument);
  if (declared === undefined) throw new RangeError("this instrument was not created by createInstrument");
  return declared;
}

type ValueOf<Metric, Name extends string> = Metric extends {
  readonly values: { readonly [Key in Name]: readonly (infer Value)[] };
}
  ? Value
  : string;

/** Values of the labels in their order, but for those that are fixed. */
type LabelValues<Metric, Names, Fixed extends string> = Names extends readonly [
  infer First extends string,
  ...infer Rest extends readonly string[],
]
  ? First extends Fixed
    ? LabelValues<Metric, Rest, Fixed>
    : [label: ValueOf<Metric, First>, ...LabelValues<Metric, Rest, Fixed>]
  : [];

/**
 * Counts up by one unless told otherwise; sets a gauge, or adds to it, with true and false as 1 and 0; observes a value.
 */
type RecordMethod<Metric extends OwnMetric, Fixed extends string> = Metric["type"] extends "counter"
  ? (...args: [...LabelValues<Metric, Metric["labels"], Fixed>, by?: number]) => void
  : Metric["type"] extends "gauge"
    ? (...args: [...LabelValues<Metric, Metric["labels"], Fixed>, value: number | boolean]) => void
    : (...args: [...LabelValues<Metric, Metric["labels"], Fixed>, value: number]) => void;

/** A method for each metric of a group, some labels of which are fixed. */
export type Recorder<Group extends Readonly<Record<string, OwnMetric>>, Fixed extends string = never> = {
  readonly [Key in keyof Group]: RecordMethod<Group[Key], Fixed>;
};

/** Records in the series with these fixed labels; `given`: values of the others in their order, and what is recorded. */
export type RecordSeries = (fixed: Labels, given: readonly (string | number | boolean)[]) => void;

/** What records one metric. `isLeftOut`: whether series do not have a label just now, though it is given. */
export function recordingOf(
  { labels: names, adds = false }: OwnMetric,
  instrument: Instrument,
  isLeftOut: (label: string) => boolean = isNever,
): RecordSeries {
  const declared = declarationOf(instrument);
  return (fixed, given) => {
    declared.changes++;
    const labels: { [name: string]: string } = {};
    let next = 0;
    for (const name of names) {
      const value = fixed[name] ?? String(given[next++]);
      if (!isLeftOut(name)) labels[name] = value;
    }
    const value = Number(given[next] ?? 1);
    if (instrument instanceof Counter) instrument.inc(labels, value);
    else if (adds && instrument instanceof Gauge) instrument.inc(labels, value);
    else if (instrument instanceof Gauge) instrument.set(labels, value);
    else instrument.observe(labels, value);
  };
}

/**
 * A class with a method for each of these, by name. The methods are one for all servers: as functions of each server they would be
 * 17 kB a server. So they are to be called as methods, and an object that is to have them is made by the class, not by spreading.
 */
export function recorderClass(recordings: Readonly<Record<string, RecordSeries>>): new (fixed: Labels) => object {
  class GroupRecorder {
    readonly #fixed: Labels;

    constructor(fixed: Labels) {
      this.#fixed = fixed;
    }

    static {
      for (const [name, record] of Object.entries(recordings)) {
        const value = function (this: GroupRecorder, ...given: readonly (string | number | boolean)[]): void {
          record(this.#fixed, given);
        };
        Object.defineProperty(GroupRecorder.prototype, name, { value, writable: true });
      }
    }
  }
  return GroupRecorder;
}

function isNever(): boolean {
  return false;
}

/** Has metrics begun whose labels are all known: a series that says 0 from the start is what alerts and `rate` need. */
export function begin({ type, labels, values = {}, initial }: OwnMetric, fixed: Labels, record: RecordSeries): void {
  const free = labels.filter((name) => !Object.hasOwn(fixed, name));
  if (type === "gauge" && initial !== undefined && free.length === 0) record(fixed, [initial]);
  if (type !== "counter") return;
  let known: (readonly string[])[] = [[]];
  for (const name of free) known = known.flatMap((before) => (values[name] ?? []).map((value) => [...before, value]));
  for (const given of known) record(fixed, [...given, 0]);
}
