import type { ChannelRecord, LicenseUse, ListResult } from "./records.ts";

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
