import type { ErrorCode } from "../../src/errors/catalogue.ts";
import { ApiError } from "../../src/prtg/api-error.ts";
import type {
  ChannelListOptions,
  DetailsApi,
  MonitoringApi,
  NodeListOptions,
  SeriesPart,
} from "../../src/prtg/monitoring-api.ts";
import {
  type ChannelRecord,
  type LicenseUse,
  type ListResult,
  type LookupDefinition,
  type NodeKind,
  type NodeRecord,
  READING_ORDER,
  type StatusSummary,
  type TimeSeries,
} from "../../src/prtg/records.ts";
import type { SeriesType } from "../../src/prtg/series-types.ts";

/** What a test can break: one kind of question to the server. */
export type Question =
  | "health"
  | "version"
  | "summary"
  | "counts"
  | "limits"
  | "lookups"
  | "channels"
  | "timeSeries"
  | "license"
  | "probeConnected"
  | "autodiscoveries"
  | "primaryChannels"
  | "all"
  | NodeKind;

/** A monitoring server in memory: it answers from the arrays that the test fills. */
export class MemoryServer implements MonitoringApi {
  readonly readingOrder = READING_ORDER;
  readonly nodeRecords = new Map<string, NodeRecord>();
  channelRecords: ChannelRecord[] = [];
  /** By sensor and type, such as `50/live`; a sensor without any is not there. */
  readonly series = new Map<string, TimeSeries>();
  summary: StatusSummary | undefined;
  counts: ReadonlyMap<string, number> | undefined;
  /** Undefined: the server has no such list. */
  lookupDefinitions: readonly LookupDefinition[] | undefined;
  /** Undefined: the server does not tell. */
  licenseUse: LicenseUse | undefined;
  autodiscoveries: number | undefined;
  readonly connected = new Map<string, boolean>();
  primary: readonly ChannelRecord[] | undefined;
  versionMembers: ReadonlyMap<string, string> = new Map([["version", "25.3.110"]]);
  offsetMs = 0;
  /** What each record is said to take while a collector holds it. */
  recordBytes: number | undefined;
  clockInDoubt = false;
  /** The server has one list of all nodes, too. */
  hasAllNodes = false;
  /** What that does not show. */
  readonly hiddenInAll = new Set<string>();
  /** What it tells otherwise of each object. */
  untoldInAll: Partial<NodeRecord> = {};
  /** Every question so far; lists with the options they were asked with. */
  readonly asked: string[] = [];
  /** Questions whose answer is an incomplete list. */
  readonly incomplete = new Set<Question>();
  /** Objects and channels (`50.0`) that incomplete lists leave out. */
  readonly lost = new Set<string>();
  readonly #errors = new Map<Question, unknown>();
  readonly #held = new Map<Question, Promise<void>>();

  put(...records: NodeRecord[]): void {
    for (const record of records) this.nodeRecords.set(record.id, record);
  }

  change(id: string, more: Partial<NodeRecord>): void {
    const record = this.nodeRecords.get(id);
    if (record === undefined) throw new Error(`no object ${id}`);
    this.nodeRecords.set(id, { ...record, ...more });
  }

  remove(...ids: string[]): void {
    for (const id of ids) this.nodeRecords.delete(id);
    this.channelRecords = this.channelRecords.filter((channel) => !ids.includes(channel.sensorId));
  }

  /** From now on these questions fail. */
  fail(code: ErrorCode, ...questions: Question[]): void {
    for (const question of questions) {
      this.#errors.set(
        question,
        new ApiError(code, `${question} failed`, { endpoint: `/${question}`, requestId: "r1" }),
      );
    }
  }

  throws(error: unknown, question: Question): void {
    this.#errors.set(question, error);
  }

  heal(): void {
    this.#errors.clear();
    this.incomplete.clear();
    this.lost.clear();
  }

  /** Lets no answer to the question through until the returned function is called. */
  hold(question: Question): () => void {
    const gate = Promise.withResolvers<void>();
    this.#held.set(question, gate.promise);
    return () => {
      this.#held.delete(question);
      gate.resolve();
    };
  }

  timesAsked(question: string): number {
    return this.asked.filter((asked) => asked === question || asked.startsWith(`${question} `)).length;
  }

  async health(signal: AbortSignal): Promise<void> {
    await this.#ask("health", signal);
  }

  async version(signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
    await this.#ask("version", signal);
    return this.versionMembers;
  }

  async statusSummary(signal: AbortSignal): Promise<StatusSummary | undefined> {
    await this.#ask("summary", signal);
    return this.summary;
  }

  async objectCounts(signal: AbortSignal): Promise<ReadonlyMap<string, number> | undefined> {
    await this.#ask("counts", signal);
    return this.counts;
  }

  async nodes(kind: NodeKind, options: NodeListOptions, signal: AbortSignal): Promise<ListResult<NodeRecord>> {
    await this.#ask(kind, signal, options);
    return this.#listed(kind, options);
  }

  #listed(kind: NodeKind, options: NodeListOptions): ListResult<NodeRecord> {
    const items = [...this.nodeRecords.values()]
      .filter((record) => record.kind === kind && !(this.incomplete.has(kind) && this.lost.has(record.id)))
      .map((record) => ({
        ...record,
        intervalSeconds: options.interval ? record.intervalSeconds : undefined,
        dependsOn: options.dependency ? record.dependsOn : undefined,
        summary: options.statusSummary ? record.summary : undefined,
      }));
    return { items, complete: !this.incomplete.has(kind), skipped: 0, bytes: this.#bytes(items) };
  }

  async allNodes(options: NodeListOptions, signal: AbortSignal): Promise<ListResult<NodeRecord> | undefined> {
    if (!this.hasAllNodes) return undefined;
    await this.#ask("all", signal, options);
    const all = READING_ORDER.flatMap((kind) => this.#listed(kind, options).items);
    const items = all.filter(({ id }) => !this.hiddenInAll.has(id)).map((each) => ({ ...each, ...this.untoldInAll }));
    return { items, complete: !this.incomplete.has("all"), skipped: 0 };
  }

  async channels(options: ChannelListOptions, signal: AbortSignal): Promise<ListResult<ChannelRecord>> {
    const question = options.limits ? "limits" : "channels";
    await this.#ask(question, signal, options.lookups ? { lookups: true } : undefined);
    const complete = !this.incomplete.has(question);
    const items = this.channelRecords.filter(
      ({ sensorId, channelId }) => complete || !this.lost.has(`${sensorId}.${channelId}`),
    );
    return { items, complete, skipped: 0, bytes: this.#bytes(items) };
  }

  readonly details: DetailsApi = {
    license: async (signal) => {
      await this.#ask("license", signal);
      return this.licenseUse;
    },
    probeConnected: async (id, signal) => {
      await this.#ask("probeConnected", signal, { id });
      return this.connected.get(id);
    },
    autodiscoveries: async (signal) => {
      await this.#ask("autodiscoveries", signal);
      return this.autodiscoveries;
    },
    primaryChannels: async (signal) => {
      await this.#ask("primaryChannels", signal);
      const items = this.primary;
      return items && { items, complete: !this.incomplete.has("primaryChannels"), skipped: 0 };
    },
  };

  async lookups(signal: AbortSignal): Promise<ListResult<LookupDefinition> | undefined> {
    await this.#ask("lookups", signal);
    const items = this.lookupDefinitions;
    return items && { items, complete: true, skipped: 0 };
  }

  async timeSeries(
    sensorId: string,
    type: SeriesType,
    signal: AbortSignal,
    { channelIds: channels }: SeriesPart = {},
  ): Promise<TimeSeries> {
    await this.#ask("timeSeries", signal, { sensorId, type, channels });
    const series = this.series.get(`${sensorId}/${type}`);
    if (series !== undefined) return channels === undefined ? series : ofChannels(series, channels);
    throw new ApiError("API_NOT_FOUND", `no time series of sensor ${sensorId}`, { endpoint: "/timeSeries" });
  }

  clockOffset(): number {
    return this.offsetMs;
  }

  isClockInDoubt(): boolean {
    return this.clockInDoubt;
  }

  async close(): Promise<void> {}

  #bytes(items: readonly unknown[]): number | undefined {
    return this.recordBytes === undefined ? undefined : this.recordBytes * items.length;
  }

  async #ask(question: Question, signal: AbortSignal, options?: object): Promise<void> {
    signal.throwIfAborted();
    this.asked.push(options === undefined ? question : `${question} ${JSON.stringify(options)}`);
    const held = this.#held.get(question);
    if (held !== undefined) {
      const aborted = Promise.withResolvers<never>();
      const abort = () => aborted.reject(signal.reason);
      signal.addEventListener("abort", abort);
      await Promise.race([held, aborted.promise]).finally(() => signal.removeEventListener("abort", abort));
    }
    if (this.#errors.has(question)) throw this.#errors.get(question);
  }
}

function ofChannels({ rows, ...series }: TimeSeries, channels: readonly string[]): TimeSeries {
  const those = ([channelId]: readonly [string, number]) => channels.includes(channelId);
  return { ...series, rows: rows.map(({ at, values }) => ({ at, values: values.filter(those) })) };
}
