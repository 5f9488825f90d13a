import type {
  ChannelRecord,
  LicenseUse,
  ListResult,
  LookupDefinition,
  NodeKind,
  NodeRecord,
  StatusSummary,
  TimeSeries,
} from "./records.ts";
import type { SeriesType } from "./series-types.ts";

/**
 * What the collectors ask of one monitoring server. Every call rejects with an `ApiError`, or with the reason of the
 * signal when that aborts.
 */
export interface MonitoringApi {
  /** In which order lists of nodes are to be read. */
  readonly readingOrder: readonly NodeKind[];
  /** Resolves when the application server is up and connected to its core (`GET /health`, 204). */
  health(signal: AbortSignal): Promise<void>;
  /** All string members of `GET /version`, flattened. */
  version(signal: AbortSignal): Promise<ReadonlyMap<string, string>>;
  /** Sensors per status of the whole server; undefined where the server has no such endpoint. */
  statusSummary(signal: AbortSignal): Promise<StatusSummary | undefined>;
  /** Objects per kind (`probe`, `group`, `device`, `sensor`, `channel`, ...); undefined where the server has no such endpoint. */
  objectCounts(signal: AbortSignal): Promise<ReadonlyMap<string, number> | undefined>;
  /** All probes, groups, devices or sensors that the user may see, or the part that is asked for. */
  nodes(kind: NodeKind, options: NodeListOptions, signal: AbortSignal): Promise<ListResult<NodeRecord>>;
  /**
   * All of them in one list, whose records say themselves what they are; undefined where only lists of each kind can be asked for.
   * Rejects with API_ENDPOINT_MISSING where the server has no such list.
   */
  allNodes(options: NodeListOptions, signal: AbortSignal): Promise<ListResult<NodeRecord> | undefined>;
  /**
   * All channels with their last measurement, or the part that is asked for. The records are good until the next call, which may
   * give them other values: copy what is kept.
   */
  channels(options: ChannelListOptions, signal: AbortSignal): Promise<ListResult<ChannelRecord>>;
  /** What else there is to be told of the server. */
  readonly details: DetailsApi;
  /** All lookup definitions; undefined where the server has no such endpoint. */
  lookups(signal: AbortSignal): Promise<ListResult<LookupDefinition> | undefined>;
  /**
   * All channels of one sensor over the window of the series. Rejects with API_NOT_FOUND when the server has no such
   * sensor, and with API_ENDPOINT_MISSING while it answered neither this question nor its deprecated form for any.
   */
  timeSeries(sensorId: string, type: SeriesType, signal: AbortSignal, part?: SeriesPart): Promise<TimeSeries>;
  /** The server's clock minus ours, in milliseconds, from the `Date` headers of its answers; 0 until known. */
  clockOffset(): number;
  /** The last answers tell of another clock, and it is not clear yet which one is right. */
  isClockInDoubt(): boolean;
  /** Ends the session, if one was opened, and closes the connections. Never rejects. */
  close(): Promise<void>;
}

/** Which part of a time series is wanted; left out: all of it. */
export interface SeriesPart {
  /** The channels that are needed (the parts after the dot): there may be others in the rows. Undefined: all. */
  readonly channelIds?: readonly string[] | undefined;
  /** Of its rows and gaps only so many, with the latest times: the others are read past, and not counted. */
  readonly newest?: number | undefined;
}

/** Which part of a list is asked for. */
export interface ListPart {
  /** In the language of the API; undefined: all of the list. A server that refuses it answers with API_BAD_REQUEST. */
  readonly filter?: string | undefined;
}

export interface NodeListOptions extends ListPart {
  /** Ask for the counts of the sensors below each object. */
  readonly statusSummary?: boolean;
  /** Ask for the scanning interval. */
  readonly interval?: boolean;
}

export interface ChannelListOptions extends ListPart {
  /** Ask for the limits of each channel. */
  readonly limits?: boolean;
  /** Ask for the lookup of each channel. */
  readonly lookups?: boolean;
}

/**
 * What a server tells beside its objects and values. Undefined where it has no such endpoint, or not for this user. Every call rejects with
 * an `ApiError` where it fails otherwise, or with the reason of the signal when that aborts.
 */
export interface DetailsApi {
  license(signal: AbortSignal): Promise<LicenseUse | undefined>;
  /** Whether a probe is connected. */
  probeConnected(id: string, signal: AbortSignal): Promise<boolean | undefined>;
  /** How many auto-discoveries are under way. */
  autodiscoveries(signal: AbortSignal): Promise<number | undefined>;
  /** The primary channel of each sensor: `primary` can be asked for, records do not show it. */
  primaryChannels(signal: AbortSignal): Promise<ListResult<ChannelRecord> | undefined>;
}
