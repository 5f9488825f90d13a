import { isDeepStrictEqual } from "node:util";
import { MemoryBudget } from "../lib/memory-budget.ts";
import { actionsOf } from "./actions.ts";
import { CHANNEL_RECORD_BYTES, LOOKUP_RECORD_BYTES, NODE_RECORD_BYTES } from "./answer-bounds.ts";
import { ApiError, isMissing } from "./api-error.ts";
import { CHANNEL_MEMBERS, decodeChannel } from "./decode/channel.ts";
import { decodeLookup, sharedLookup } from "./decode/lookup.ts";
import { readObjectCounts, readSummary, readVersion } from "./decode/system-records.ts";
import { sizeOfChannel, sizeOfLookup, sizeOfNode, TextBounds } from "./decode/text-bounds.ts";
import { type DecodeProblems, noProblems, reportProblems } from "./decode/values.ts";
import { detailsReader } from "./details-reader.ts";
import {
  allNodesList,
  channelLists,
  LOOKUP_LIST,
  nodeLists,
  PREFERRED_ENDPOINTS,
  PREFERRED_LISTS,
} from "./endpoints.ts";
import type { ActionsApi, DetailsApi, ListOptions, MonitoringApi, ObjectsApi } from "./monitoring-api.ts";
import { decodeNode, type NodeKind, type NodeRecord, nodeKindOf, READING_ORDER } from "./node-record.ts";
import type { ApiClientOptions } from "./options.ts";
import { ChannelTable } from "./paging/channel-table.ts";
import { type ItemFormat, itemsById } from "./paging/item-store.ts";
import { ListQuotas } from "./paging/list-quota.ts";
import { ListReader } from "./paging/list-reader.ts";
import type {
  ChannelList,
  ChannelRecord,
  ChannelRecords,
  ListResult,
  LookupDefinition,
  StatusSummary,
  TimeSeries,
} from "./records.ts";
import { Requester } from "./request/requester.ts";
import { ServerAccesses } from "./request/server-access.ts";
import { TimeSeriesReader } from "./time-series-reader.ts";

type Decode<Item> = (record: unknown, problems: DecodeProblems) => Item | undefined;

const NODE_FORMAT: Omit<ItemFormat<NodeRecord>, "decode"> = {
  ...itemsById<NodeRecord>(),
  describe: ({ kind, name, parent }) => `${kind} ${name}${parent === undefined ? "" : ` below ${parent.id}`}`,
  sizeOf: sizeOfNode,
  itemBytes: NODE_RECORD_BYTES,
};

/**
 * Creates the client of one monitoring server. Sends nothing before the first call.
 * @param accesses Shared by clients with the same access key.
 * @throws TypeError if `url` is not a URL
 */
export function createApiClient(options: ApiClientOptions, accesses = new ServerAccesses()): MonitoringApi {
  return new ApiClient(options, accesses);
}

class ApiClient implements MonitoringApi {
  readonly readingOrder = READING_ORDER;
  readonly details: DetailsApi;
  readonly actions: ActionsApi;
  /** By their stable endpoints, while all lists are experimental or deprecated. */
  readonly objects: ObjectsApi = {
    sensor: (id, signal) => {
      const decode: Decode<NodeRecord> = (record, problems) => this.#node("sensor", record, problems);
      return this.#readIfThere("/sensors/{id}", decode, signal, id);
    },
    channel: (sensorId, channelId, signal) =>
      this.#readIfThere("/channels/{id}", this.#channelFormat.decode, signal, `${sensorId}.${channelId}`),
  };
  readonly #options: ApiClientOptions;
  readonly #requester: Requester;
  readonly #lists: ListReader;
  readonly #timeSeries: TimeSeriesReader;
  readonly #texts: TextBounds;
  readonly #channelFormat: ItemFormat<ChannelRecord, ChannelRecords> = {
    decode: (record, problems) => {
      const channel = decodeChannel(record, problems);
      return channel && this.#texts.channel(channel, problems);
    },
    members: CHANNEL_MEMBERS,
    idOf: ({ sensorId, channelId }) => `${sensorId}.${channelId}`,
    openStore: () => new ChannelTable(this.#channels),
    describe: ({ name, unit }) => (unit === "" ? name : `${name} in ${unit}`),
    sizeOf: sizeOfChannel,
    itemBytes: CHANNEL_RECORD_BYTES,
  };
  readonly #lookupFormat: ItemFormat<LookupDefinition> = {
    decode: (record, problems) => {
      const lookup = decodeLookup(record, problems);
      return lookup && sharedLookup(this.#texts.lookup(lookup, problems));
    },
    ...itemsById<LookupDefinition>(),
    describe: ({ name }) => name,
    sizeOf: sizeOfLookup,
    itemBytes: LOOKUP_RECORD_BYTES,
  };
  #wasUnhealthy = false;
  /** Channels of the last list. */
  #channels = 0;
  #version: ReadonlyMap<string, string> | undefined;
  #closed: Promise<void> | undefined;

  constructor(options: ApiClientOptions, accesses: ServerAccesses) {
    options.observer.expect(PREFERRED_ENDPOINTS, PREFERRED_LISTS);
    this.#options = options;
    this.#requester = new Requester(options, accesses);
    const memory = options.memory ?? new MemoryBudget();
    const quotas = new ListQuotas(options.limits, memory);
    this.#texts = new TextBounds(options.limits.maxTextLength, options.redactor.credentials);
    this.#lists = new ListReader(options, this.#requester, quotas);
    this.details = detailsReader(this.#requester, this.#lists, this.#channelFormat);
    this.actions = actionsOf(this.#requester);
    this.#timeSeries = new TimeSeriesReader(options, this.#requester, quotas);
  }

  async health(signal: AbortSignal): Promise<void> {
    try {
      await this.#requester.health(signal);
    } catch (error) {
      this.#wasUnhealthy = true;
      throw error;
    }
    if (!this.#wasUnhealthy) return;
    this.#wasUnhealthy = false;
    // A starting service may answer 404 to anything.
    this.#lists.forgetRefusals();
  }

  async version(signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
    const members = readVersion((await this.#requester.get({ endpoint: "/version", path: "/version" }, signal)).json);
    const problems = noProblems();
    const version = this.#texts.members(members, problems);
    reportProblems(problems, this.#options.observer);
    if (this.#version !== undefined && !isDeepStrictEqual(version, this.#version)) {
      this.#lists.forgetRefusals();
    }
    this.#version = version;
    return version;
  }

  statusSummary(signal: AbortSignal): Promise<StatusSummary | undefined> {
    return this.#readIfThere("/sensor-status-summary", readSummary, signal);
  }

  objectCounts(signal: AbortSignal): Promise<ReadonlyMap<string, number> | undefined> {
    const decode: Decode<ReadonlyMap<string, number>> = (answer, problems) =>
      readObjectCounts(answer, (name) => this.#texts.text(name, problems));
    return this.#readIfThere("/objects/count", decode, signal);
  }

  nodes(kind: NodeKind, options: ListOptions, signal: AbortSignal): Promise<ListResult<NodeRecord>> {
    const format: ItemFormat<NodeRecord> = {
      decode: (record, problems) => this.#node(kind, record, problems),
      ...NODE_FORMAT,
    };
    return this.#lists.read(nodeLists(kind, options), format, signal);
  }

  allNodes(options: ListOptions, signal: AbortSignal): Promise<ListResult<NodeRecord>> {
    const format: ItemFormat<NodeRecord> = {
      decode: (record, problems) => {
        const kind = nodeKindOf(record);
        if (kind !== undefined) return this.#node(kind, record, problems);
        problems.record++;
        return undefined;
      },
      ...NODE_FORMAT,
    };
    return this.#lists.read([allNodesList(options)], format, signal);
  }

  async channels(options: ListOptions, signal: AbortSignal): Promise<ChannelList> {
    const list = await this.#lists.read(channelLists(options), this.#channelFormat, signal);
    this.#channels = list.items.length;
    return list;
  }

  async lookups(signal: AbortSignal): Promise<ListResult<LookupDefinition> | undefined> {
    const { endpoint } = LOOKUP_LIST;
    try {
      return await this.#lists.read([LOOKUP_LIST], this.#lookupFormat, signal);
    } catch (error) {
      const missing = error instanceof ApiError && error.code === "API_ENDPOINT_MISSING";
      if (missing && error.endpoint === endpoint) return undefined;
      throw error;
    }
  }

  timeSeries(...request: Parameters<MonitoringApi["timeSeries"]>): Promise<TimeSeries> {
    return this.#timeSeries.read(...request);
  }

  listPages(): number {
    return this.#lists.pages;
  }

  clockOffset(): number {
    return this.#requester.serverClock.offsetMs;
  }

  isClockInDoubt(): boolean {
    return this.#requester.serverClock.isInDoubt;
  }

  close(): Promise<void> {
    this.#closed ??= this.#requester.close();
    return this.#closed;
  }

  #node(kind: NodeKind, record: unknown, problems: DecodeProblems): NodeRecord | undefined {
    const node = decodeNode(kind, record, problems);
    return node && this.#texts.node(node, problems);
  }

  /** `undefined` if the server lacks this optional endpoint, or the object. */
  async #readIfThere<Item>(
    endpoint: string,
    decode: Decode<Item>,
    signal: AbortSignal,
    id = "",
  ): Promise<Item | undefined> {
    const path = endpoint.replace("{id}", () => encodeURIComponent(id));
    try {
      const { json } = await this.#requester.get({ endpoint, path }, signal);
      const problems = noProblems();
      const item = decode(json, problems);
      reportProblems(problems, this.#options.observer);
      return item;
    } catch (error) {
      if (isMissing(endpoint, error)) return undefined;
      throw error;
    }
  }
}
