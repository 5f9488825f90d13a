import type { ErrorCode } from "../../src/errors/catalogue.ts";
import { ApiError } from "../../src/prtg/api-error.ts";
import type {
  ActionResult,
  ActionsApi,
  DetailsApi,
  ListOptions,
  MonitoringApi,
  ObjectsApi,
  SeriesPart,
} from "../../src/prtg/monitoring-api.ts";
import { type NodeKind, type NodeRecord, READING_ORDER } from "../../src/prtg/node-record.ts";
import type {
  ChannelRecord,
  LicenseUse,
  ListResult,
  LookupDefinition,
  StatusSummary,
  TimeSeries,
} from "../../src/prtg/records.ts";
import type { SeriesType } from "../../src/prtg/series-types.ts";

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
  | "accounts"
  | "all"
  | "object"
  | "acknowledge"
  | NodeKind;

/** One page each. */
const LISTS: readonly Question[] = [...READING_ORDER, "all", "channels", "limits", "lookups", "primaryChannels"];

export class MemoryServer implements MonitoringApi {
  readonly readingOrder = READING_ORDER;
  readonly nodeRecords = new Map<string, NodeRecord>();
  channelRecords: ChannelRecord[] = [];
  /** By sensor and type: `50/live`. Missing: no such series. */
  readonly series = new Map<string, TimeSeries>();
  summary: StatusSummary | undefined;
  counts: ReadonlyMap<string, number> | undefined;
  /** Undefined: the server lacks this list. */
  lookupDefinitions: readonly LookupDefinition[] | undefined;
  /** Undefined: the server does not report it. */
  licenseUse: LicenseUse | undefined;
  autodiscoveries: number | undefined;
  readonly connected = new Map<string, boolean>();
  primary: readonly ChannelRecord[] | undefined;
  accounts: number | undefined;
  /** By object. Missing: done. An action changes no record. */
  readonly actionResults = new Map<string, ActionResult>();
  versionMembers: ReadonlyMap<string, string> = new Map([["version", "25.3.110"]]);
  offsetMs = 0;
  /** Claimed memory of a record. */
  recordBytes: number | undefined;
  clockInDoubt = false;
  /** Has a list of all nodes. */
  hasAllNodes = false;
  /** Objects missing there. */
  readonly hiddenInAll = new Set<string>();
  /** Objects that no other list has. */
  readonly onlyInAll: NodeRecord[] = [];
  /** Fields that differ there. */
  untoldInAll: Partial<NodeRecord> = {};
  /** All requests. Lists include their sections, other requests their options. */
  readonly asked: string[] = [];
  /** Requests with an incomplete list as answer. */
  readonly incomplete = new Set<Question>();
  /** Missing from incomplete lists. Channels as `50.0`. */
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

  recover(): void {
    this.#errors.clear();
    this.incomplete.clear();
    this.lost.clear();
  }

  /** Blocks answers until the returned function runs. */
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

  async nodes(kind: NodeKind, options: ListOptions, signal: AbortSignal): Promise<ListResult<NodeRecord>> {
    await this.#ask(kind, signal, options.sections);
    return this.#listed(kind, options);
  }

  #listed(kind: NodeKind, options: ListOptions): ListResult<NodeRecord> {
    const items = [...this.nodeRecords.values()]
      .filter((record) => record.kind === kind && !(this.incomplete.has(kind) && this.lost.has(record.id)))
      .map((record) => ({
        ...record,
        intervalSeconds: options.sections?.has("intervalgroup") ? record.intervalSeconds : undefined,
        downDelay: options.sections?.has("intervalgroup") ? record.downDelay : undefined,
        dependsOn: options.sections?.has("scheduledependency") ? record.dependsOn : undefined,
        summary: options.sections?.has("sensor_status_summary") ? record.summary : undefined,
      }));
    return { items, complete: !this.incomplete.has(kind), skipped: 0, bytes: this.#bytes(items) };
  }

  async allNodes(options: ListOptions, signal: AbortSignal): Promise<ListResult<NodeRecord> | undefined> {
    if (!this.hasAllNodes) return undefined;
    await this.#ask("all", signal, options.sections);
    const all = READING_ORDER.flatMap<NodeRecord>((kind) => this.#listed(kind, options).items).concat(this.onlyInAll);
    const items = all.filter(({ id }) => !this.hiddenInAll.has(id)).map((each) => ({ ...each, ...this.untoldInAll }));
    return { items, complete: !this.incomplete.has("all"), skipped: 0 };
  }

  async channels(options: ListOptions, signal: AbortSignal): Promise<ListResult<ChannelRecord>> {
    const question = options.sections?.has("alerting") ? "limits" : "channels";
    await this.#ask(question, signal, options.sections);
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
    accounts: async (signal) => {
      await this.#ask("accounts", signal);
      return this.accounts;
    },
    primaryChannels: async (signal) => {
      await this.#ask("primaryChannels", signal);
      const items = this.primary;
      return items && { items, complete: !this.incomplete.has("primaryChannels"), skipped: 0 };
    },
  };

  readonly objects: ObjectsApi = {
    sensor: async (id, signal) => {
      await this.#ask("object", signal, { id });
      return this.nodeRecords.get(id);
    },
    channel: async (sensorId, channelId, signal) => {
      await this.#ask("object", signal, { id: `${sensorId}.${channelId}` });
      return this.channelRecords.find((each) => each.sensorId === sensorId && each.channelId === channelId);
    },
  };

  readonly actions: ActionsApi = {
    acknowledge: async (id, acknowledgement, signal) => {
      await this.#ask("acknowledge", signal, { id, ...acknowledgement });
      return this.actionResults.get(id) ?? "done";
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

  listPages(): number {
    return LISTS.reduce((pages, list) => pages + this.timesAsked(list), 0);
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
    const words = options instanceof Set ? [...options] : options === undefined ? [] : [JSON.stringify(options)];
    this.asked.push([question, ...words].join(" "));
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
