import { NODE_RECORD_BYTES } from "./answer-bounds.ts";
import { ApiError, isMissing } from "./api-error.ts";
import { readCount } from "./decode/displayed.ts";
import { booleanOf, type DecodeProblems, idOf, isObject, parseTimestamp } from "./decode/values.ts";
import { ACCOUNT_LIST, AUTODISCOVERY_LIST, PRIMARY_CHANNELS, probeInfo } from "./endpoints.ts";
import type { DetailsApi } from "./monitoring-api.ts";
import { type ItemFormat, itemsById, KeyedItems } from "./paging/item-store.ts";
import type { ListReader } from "./paging/list-reader.ts";
import type { ChannelRecord, ChannelRecords, LicenseUse } from "./records.ts";
import type { Requester } from "./request/requester.ts";

const LICENSE = "/experimental/license";

const AUTODISCOVERIES: ItemFormat<Autodiscovery> = {
  decode: decodeAutodiscovery,
  ...itemsById<Autodiscovery>(),
  describe: ({ isRunning }) => (isRunning ? "running" : "over"),
  sizeOf: ({ id }) => id.length,
  itemBytes: NODE_RECORD_BYTES,
};

const ACCOUNTS: ItemFormat<string> = {
  decode: decodeId,
  idOf: (id) => id,
  openStore: () => new KeyedItems((id) => id),
  describe: () => "user",
  sizeOf: (id) => id.length,
  itemBytes: NODE_RECORD_BYTES,
};

export function detailsReader(
  requester: Requester,
  lists: ListReader,
  channels: ItemFormat<ChannelRecord, ChannelRecords>,
): DetailsApi {
  const get = async (endpoint: string, path: string, signal: AbortSignal) =>
    (await requester.get({ endpoint, path }, signal)).json;
  return {
    license: (signal) => ifAvailable(LICENSE, async () => readLicense(await get(LICENSE, LICENSE, signal))),
    probeConnected: (id, signal) => {
      const { endpoint, path } = probeInfo(id);
      return ifAvailable(endpoint, async () => readConnected(await get(endpoint, path, signal)));
    },
    autodiscoveries: (signal) =>
      ifAvailable(AUTODISCOVERY_LIST.endpoint, async () => {
        const { items } = await lists.read([AUTODISCOVERY_LIST], AUTODISCOVERIES, signal);
        return items.filter(({ isRunning }) => isRunning).length;
      }),
    accounts: (signal) =>
      ifAvailable(ACCOUNT_LIST.endpoint, async () => (await lists.read([ACCOUNT_LIST], ACCOUNTS, signal)).items.length),
    primaryChannels: (signal) =>
      ifAvailable(PRIMARY_CHANNELS.endpoint, () => lists.read([PRIMARY_CHANNELS], channels, signal)),
  };
}

/** `undefined` if the server lacks the endpoint, refuses the filter, or the user may not read it. */
async function ifAvailable<Result>(endpoint: string, read: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await read();
  } catch (error) {
    if (isMissing(endpoint, error)) return undefined;
    if (error instanceof ApiError && UNAVAILABLE.has(error.code)) return undefined;
    throw error;
  }
}

const UNAVAILABLE: ReadonlySet<string> = new Set(["API_ENDPOINT_MISSING", "API_FORBIDDEN", "API_BAD_REQUEST"]);

/* The specification does not show these answers. So this searches names of members, and leaves out what it does not find. */

const MAX_DEPTH = 3;
const MAX_MEMBERS = 200;

/** From `/experimental/license`: members about sensors, and the end. */
export function readLicense(answer: unknown): LicenseUse {
  let used: number | undefined;
  let max: number | undefined;
  let expiresAt: number | undefined;
  for (const [name, value] of members(answer)) {
    const number = readCount(value);
    if (number !== undefined && name.includes("sensor")) {
      if (/used|current|inuse|active/.test(name)) used ??= number;
      else if (/allowed|max|limit|licensed/.test(name)) max ??= number;
    }
    if (typeof value === "string" && /expir|validu|validto|enddate/.test(name)) expiresAt ??= parseTimestamp(value);
  }
  return { used, max, expiresAt };
}

/** From `/probes/{id}/info`. `undefined` if it does not say. */
export function readConnected(answer: unknown): boolean | undefined {
  for (const [name, value] of members(answer)) {
    if (name.endsWith("disconnected") || !/connected$|^connection(state|status)$/.test(name)) continue;
    const connected = booleanOf(value);
    if (connected !== undefined) return connected;
    if (typeof value !== "string") continue;
    if (/^connected$/i.test(value)) return true;
    if (/^disconnected$/i.test(value)) return false;
  }
  return undefined;
}

export interface Autodiscovery {
  readonly id: string;
  readonly isRunning: boolean;
}

export function decodeAutodiscovery(record: unknown, problems: DecodeProblems): Autodiscovery | undefined {
  const id = decodeId(record, problems);
  if (!isObject(record) || id === undefined) return undefined;
  const isRunning =
    booleanOf(record.active) ?? (typeof record.status !== "string" || /^(running|active)$/i.test(record.status));
  return { id, isRunning };
}

export function decodeId(record: unknown, problems: DecodeProblems): string | undefined {
  const id = isObject(record) ? idOf(record.id) : undefined;
  if (id === undefined) problems.record++;
  return id;
}

function* members(answer: unknown): Generator<[name: string, value: unknown]> {
  const queue: [unknown, number][] = [[answer, 0]];
  let seen = 0;
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const [value, depth] = next;
    if (!isObject(value)) continue;
    for (const [name, member] of Object.entries(value)) {
      if (++seen > MAX_MEMBERS) return;
      if (isObject(member) && depth < MAX_DEPTH) queue.push([member, depth + 1]);
      else yield [name.toLowerCase().replaceAll(/[^a-z0-9]/g, ""), member];
    }
  }
}
