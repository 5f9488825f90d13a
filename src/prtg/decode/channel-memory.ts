import type { ChannelRecord } from "../records.ts";
import { ByteHash } from "../request/byte-hash.ts";
import { memberAt, type TextRange } from "../request/json-members.ts";
import { NOT_KNOWN, type RecordMemory } from "../request/record-memory.ts";
import { NO_MATCH } from "../request/record-shape.ts";
import { RecordShapes } from "../request/record-shapes.ts";
import { readValue } from "./channel.ts";
import { type DecodeProblems, noProblems } from "./problems.ts";
import { readTimestamp } from "./values.ts";

const OPEN_OBJECT = "{".charCodeAt(0);
const MEASUREMENT = "last_measurement";
/** Members of a measurement at which nobody looks. */
const IGNORED = new Set(["value", "minimum", "maximum", "average", "volume", "display_volume"]);
/** How far a record is looked for from where it is expected, when others came or went before it. */
const MAX_SHIFT = 16;
/** Records in a row that were not found, after which they are only looked for where they are expected. */
const MAX_MISSED = 64;
/** Lists that are not looked at after one of which less than a quarter could be remembered. */
const LISTS_PASSED_OVER = 100;
const NULL = "null";

/**
 * A channel as the list showed it last. It stays the same object from one reading of the list to the next, with other values:
 * some hundred thousand new ones at each poll, which live just until it is over, would be most of the garbage collector's work.
 */
export class ListedChannel implements ChannelRecord {
  readonly sensorId: string;
  readonly channelId: string;
  readonly name: string;
  readonly unit: string;
  /** NaN where there is none: numbers alone are kept in place. */
  #value = Number.NaN;
  #measuredAt = Number.NaN;
  /** Bytes of its text before its measurement, and behind that; and the hash of both. */
  readonly #before: number;
  readonly #behind: number;
  readonly #low: number;
  readonly #high: number;

  /** `hash`: of the bytes of its record from `start` to `end`, without the measurement. */
  constructor(channel: ChannelRecord, start: number, measurement: TextRange, end: number, hash: ByteHash) {
    this.sensorId = channel.sensorId;
    this.channelId = channel.channelId;
    this.name = channel.name;
    this.unit = channel.unit;
    this.#before = measurement.from - start;
    this.#behind = end - measurement.to;
    this.#low = hash.low;
    this.#high = hash.high;
  }

  get value(): number | undefined {
    return Number.isNaN(this.#value) ? undefined : this.#value;
  }

  get measuredAt(): number | undefined {
    return Number.isNaN(this.#measuredAt) ? undefined : this.#measuredAt;
  }

  /** Records with limits, or with a lookup, are not remembered. */
  get limits(): undefined {
    return undefined;
  }

  measured(value: number | undefined, at: number | undefined): void {
    this.#value = value ?? Number.NaN;
    this.#measuredAt = at ?? Number.NaN;
  }

  /** Where its measurement would begin, if its record began at `start`. */
  measurementAt(start: number): number {
    return start + this.#before;
  }

  /** The end of the record that begins at `start` and whose measurement ends at `behind`; NOT_KNOWN where it is not this channel's. */
  endOf(bytes: Buffer, start: number, behind: number, end: number, hash: ByteHash): number {
    const recordEnd = behind + this.#behind;
    if (recordEnd > end) return NOT_KNOWN;
    hash.of(bytes, start, start + this.#before);
    hash.more(bytes, behind, recordEnd);
    return hash.low === this.#low && hash.high === this.#high ? recordEnd : NOT_KNOWN;
  }
}

/**
 * Remembers the records of a list of channels. From one poll to the next they differ in nothing but the measurement, and come
 * in the same order: so the text around the measurement is compared with that of last time, by lengths and a hash of 64 bits,
 * and only the measurement is read.
 *
 * It cannot mislead. Where the text up to the measurement is the same, a parser is in the same state behind it; the
 * measurement is checked byte by byte, as one value; and behind it the text to the end of the record is the same again.
 * Another text of the same length has the same hash once in some 2^64 changes; a server that looked for such texts could
 * mislead about its own channels only, of which it says what it likes anyway.
 *
 * Records of which anything else is to be said (limits, or something that cannot be read) are not remembered.
 */
export class ChannelMemory {
  readonly #decode: (record: unknown, problems: DecodeProblems) => ChannelRecord | undefined;
  readonly #hash = new ByteHash();
  readonly #measurements = new RecordShapes(IGNORED);
  /** In the order of the list; undefined where one is not remembered. */
  #before: (ListedChannel | undefined)[] = [];
  /** Of the list under way, up to `#position`; what is behind that is left from older lists. One takes the place of the other. */
  #now: (ListedChannel | undefined)[] = [];
  #position = 0;
  /** By how much records are expected further behind in `#before` than they come. */
  #shift = 0;
  #missed = 0;
  #recalled: ListedChannel | undefined;
  #value: number | undefined;
  #measuredAt: number | undefined;
  /** None: with one, a record is decoded anew, and the problem counted there. */
  #problems = noProblems();
  #lists = 0;
  /** Lists that are still passed over. */
  #passedOver = 0;
  #filter: string | undefined;

  constructor(decode: (record: unknown, problems: DecodeProblems) => ChannelRecord | undefined) {
    this.#decode = decode;
  }

  /** Records that are held from one list to the next. */
  get size(): number {
    return this.#before.length;
  }

  /** A list comes. What is known of one with another filter says little of this one. */
  begin(filter: string | undefined): void {
    if (filter === this.#filter) return;
    this.#filter = filter;
    this.forget();
  }

  /** Forgets the other channels, so that their next records are decoded. */
  retain(isKept: (channel: ListedChannel) => boolean): void {
    this.#before = this.#before.map((channel) => (channel !== undefined && isKept(channel) ? channel : undefined));
  }

  /** Begins anew. */
  forget(): void {
    this.#lists = 0;
    this.#passedOver = 0;
    this.#before = [];
    this.#now = [];
    this.#position = 0;
  }

  /** For one page. A first list is not remembered: many a program reads no second one. */
  page(offset: number): RecordMemory | undefined {
    if (this.#lists === 0 || this.#passedOver > 0) return undefined;
    if (offset === 0) {
      this.#shift = 0;
      this.#missed = 0;
    }
    // A page that comes once more begins where it began; records that were not taken one by one are not remembered.
    while (this.#position < offset) this.#remember(undefined);
    this.#position = offset;
    return {
      recall: (bytes, at, end) => this.#recall(bytes, at, end),
      learn: (bytes, at, end, record) => this.#learn(bytes, at, end, record),
      recalled: () => this.#recalled,
    };
  }

  /** The list is complete. */
  listed(): void {
    const list = this.#now;
    list.length = this.#position;
    this.#position = 0;
    this.#now = this.#before;
    this.#before = [];
    this.#lists++;
    if (this.#passedOver > 0) {
      this.#passedOver--;
      return;
    }
    // Looking at each record would be in vain, and takes longer than to parse them.
    const known = list.reduce((count, channel) => (channel === undefined ? count : count + 1), 0);
    if (known * 4 < list.length) this.#passedOver = LISTS_PASSED_OVER;
    else this.#before = list;
    this.#now.length = Math.min(this.#now.length, this.#before.length);
  }

  #remember(channel: ListedChannel | undefined): void {
    this.#now[this.#position++] = channel;
  }

  #recall(bytes: Buffer, at: number, end: number): number {
    const expected = this.#position + this.#shift;
    const after = this.#recallAt(expected, bytes, at, end);
    if (after !== NOT_KNOWN || this.#missed > MAX_MISSED) return after;
    for (let by = 1; by <= MAX_SHIFT; by++) {
      for (const shift of [by, -by]) {
        const found = this.#recallAt(expected + shift, bytes, at, end);
        if (found === NOT_KNOWN) continue;
        this.#shift += shift;
        return found;
      }
    }
    this.#missed++;
    return NOT_KNOWN;
  }

  #recallAt(position: number, bytes: Buffer, at: number, end: number): number {
    const channel = this.#before[position];
    if (channel === undefined) return NOT_KNOWN;
    const behind = this.#readMeasurement(bytes, channel.measurementAt(at), end);
    if (behind === NOT_KNOWN) return NOT_KNOWN;
    const recordEnd = channel.endOf(bytes, at, behind, end, this.#hash);
    if (recordEnd === NOT_KNOWN) return NOT_KNOWN;
    channel.measured(this.#value, this.#measuredAt);
    this.#recalled = channel;
    this.#remember(channel);
    this.#missed = 0;
    return recordEnd;
  }

  #learn(bytes: Buffer, at: number, end: number, record: unknown): unknown {
    const problems = noProblems();
    const channel = this.#decode(record, problems);
    const measurement = memberAt(bytes, at, end, MEASUREMENT);
    const isPlain = channel !== undefined && channel.limits === undefined && channel.lookup === undefined;
    if (!isPlain || measurement === undefined || Object.values(problems).some((count) => count > 0)) {
      this.#remember(undefined);
      return record;
    }
    const { from, to } = measurement;
    let behind = this.#readMeasurement(bytes, from, end);
    if (behind === NOT_KNOWN) {
      this.#measurements.learn(bytes, from, to);
      behind = this.#readMeasurement(bytes, from, end);
    }
    if (behind !== to) {
      this.#remember(undefined);
      return record;
    }
    this.#hash.of(bytes, at, from);
    this.#hash.more(bytes, to, end);
    const listed = new ListedChannel(channel, at, measurement, end, this.#hash);
    listed.measured(channel.value, channel.measuredAt);
    this.#remember(listed);
    return listed;
  }

  /** The end of the measurement at `at`, as `#value` and `#measuredAt`; NOT_KNOWN where there is anything to say about it. */
  #readMeasurement(bytes: Buffer, at: number, end: number): number {
    if (bytes[at] !== OPEN_OBJECT) {
      this.#value = undefined;
      this.#measuredAt = undefined;
      return bytes.toString("latin1", at, at + NULL.length) === NULL ? at + NULL.length : NOT_KNOWN;
    }
    const after = this.#measurements.read(bytes, at, end);
    if (after === NO_MATCH) return NOT_KNOWN;
    const { display_value, timestamp } = this.#measurements.record;
    const problems = this.#problems;
    this.#value = readValue(display_value, problems);
    this.#measuredAt = readTimestamp(timestamp, problems);
    if (problems.value + problems.timestamp === 0) return after;
    this.#problems = noProblems();
    return NOT_KNOWN;
  }
}
