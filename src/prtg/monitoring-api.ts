import type { NodeKind, NodeRecord, Section } from "./node-record.ts";
import type {
  ChannelList,
  ChannelRecord,
  LicenseUse,
  ListResult,
  LookupDefinition,
  StatusSummary,
  TimeSeries,
} from "./records.ts";
import type { SeriesType } from "./series-types.ts";

export interface MonitoringApi {
  readonly readingOrder: readonly NodeKind[];
  /** Resolves if the application server is connected to its core (`GET /health`, 204). */
  health(signal: AbortSignal): Promise<void>;
  /** All strings of `GET /version`, flattened. */
  version(signal: AbortSignal): Promise<ReadonlyMap<string, string>>;
  /** Sensors per status. `undefined` if the server lacks the endpoint. */
  statusSummary(signal: AbortSignal): Promise<StatusSummary | undefined>;
  /** Objects per kind. `undefined` if the server lacks the endpoint. */
  objectCounts(signal: AbortSignal): Promise<ReadonlyMap<string, number> | undefined>;
  nodes(kind: NodeKind, options: ListOptions, signal: AbortSignal): Promise<ListResult<NodeRecord>>;
  /**
   * All nodes in one list. `undefined` if only separate lists are possible. Rejects with API_ENDPOINT_MISSING if the
   * server lacks the list.
   */
  allNodes(options: ListOptions, signal: AbortSignal): Promise<ListResult<NodeRecord> | undefined>;
  /** Channels with their last measurement. */
  channels(options: ListOptions, signal: AbortSignal): Promise<ChannelList>;
  readonly details: DetailsApi;
  readonly objects: ObjectsApi;
  readonly actions: ActionsApi;
  /** `undefined` if the server lacks the endpoint. */
  lookups(signal: AbortSignal): Promise<ListResult<LookupDefinition> | undefined>;
  /** Rejects with API_NOT_FOUND for an unknown sensor, and with API_ENDPOINT_MISSING until either endpoint has answered. */
  timeSeries(sensorId: string, type: SeriesType, signal: AbortSignal, part?: SeriesPart): Promise<TimeSeries>;
  /** Full pages of lists that the server has sent to this client. A page that is full in part counts in part. */
  listPages(): number;
  /** Server's clock minus ours, milliseconds, from `Date` headers. 0 until known. */
  clockOffset(): number;
  /** The last answers disagree with the known clock. */
  isClockInDoubt(): boolean;
  /** Ends the session and closes the connections. Never rejects. */
  close(): Promise<void>;
}

/** Default: all of the series. */
export interface SeriesPart {
  /** Ids after the dot. Rows may have other channels, too. Default: all. */
  readonly channelIds?: readonly string[] | undefined;
  /** Only so many of the latest rows and gaps. Others are not counted. */
  readonly newest?: number | undefined;
}

export interface ListOptions {
  /** In the language of the API. A server that refuses it answers API_BAD_REQUEST. */
  readonly filter?: string | undefined;
  /** Default: none. */
  readonly sections?: ReadonlySet<Section>;
}

/** Single objects. `undefined` if the server does not have the object. */
export interface ObjectsApi {
  sensor(id: string, signal: AbortSignal): Promise<NodeRecord | undefined>;
  channel(sensorId: string, channelId: string, signal: AbortSignal): Promise<ChannelRecord | undefined>;
}

/** `wrong status`: impossible for the object's current status. `gone`: unknown to the server, or not visible. */
export type ActionResult = "done" | "wrong status" | "gone";

/**
 * Changes on the server. Only `sync` uses them. The client sends a change again only if the server surely has not
 * executed it (401, 429). So a change may be in effect although the call rejected, for example with API_TIMEOUT.
 */
export interface ActionsApi {
  /** Rejects with API_FORBIDDEN if the credentials may only read. */
  acknowledge(sensorId: string, acknowledgement: Acknowledgement, signal: AbortSignal): Promise<ActionResult>;
}

export interface Acknowledgement {
  /** PRTG rounds it up to full minutes. 0: without end. At most 1,000,000,000. */
  readonly durationSeconds: number;
  /** Below 15 KB, which is the largest body. */
  readonly message: string;
}

export interface DetailsApi {
  license(signal: AbortSignal): Promise<LicenseUse | undefined>;
  probeConnected(id: string, signal: AbortSignal): Promise<boolean | undefined>;
  autodiscoveries(signal: AbortSignal): Promise<number | undefined>;
  primaryChannels(signal: AbortSignal): Promise<ChannelList | undefined>;
  /** Number of user accounts that the credentials can see. */
  accounts(signal: AbortSignal): Promise<number | undefined>;
}
