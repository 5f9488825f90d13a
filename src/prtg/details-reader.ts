import { NODE_RECORD_BYTES } from "./answer-bounds.ts";
import { ApiError, isMissing } from "./api-error.ts";
import { type Autodiscovery, decodeAutodiscovery, decodeId, readConnected, readLicense } from "./decode/details.ts";
import { ACCOUNT_LIST, AUTODISCOVERY_LIST, PRIMARY_CHANNELS, probeInfo } from "./endpoints.ts";
import type { DetailsApi } from "./monitoring-api.ts";
import { itemsById, KeyedItems } from "./paging/item-store.ts";
import type { ItemFormat, ListReader } from "./paging/list-reader.ts";
import type { ChannelList, ChannelRecord, ChannelRecords, LicenseUse } from "./records.ts";
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

export class DetailsReader implements DetailsApi {
  readonly #requester: Requester;
  readonly #lists: ListReader;
  readonly #channels: ItemFormat<ChannelRecord, ChannelRecords>;

  constructor(requester: Requester, lists: ListReader, channels: ItemFormat<ChannelRecord, ChannelRecords>) {
    this.#requester = requester;
    this.#lists = lists;
    this.#channels = channels;
  }

  license(signal: AbortSignal): Promise<LicenseUse | undefined> {
    return ifAvailable(LICENSE, async () =>
      readLicense((await this.#requester.get({ endpoint: LICENSE, path: LICENSE }, signal)).json),
    );
  }

  probeConnected(id: string, signal: AbortSignal): Promise<boolean | undefined> {
    const { endpoint, path } = probeInfo(id);
    return ifAvailable(endpoint, async () =>
      readConnected((await this.#requester.get({ endpoint, path }, signal)).json),
    );
  }

  autodiscoveries(signal: AbortSignal): Promise<number | undefined> {
    return ifAvailable(AUTODISCOVERY_LIST.endpoint, async () => {
      const { items } = await this.#lists.read([AUTODISCOVERY_LIST], AUTODISCOVERIES, signal);
      return items.filter(({ isRunning }) => isRunning).length;
    });
  }

  accounts(signal: AbortSignal): Promise<number | undefined> {
    return ifAvailable(ACCOUNT_LIST.endpoint, async () => {
      const { items } = await this.#lists.read([ACCOUNT_LIST], ACCOUNTS, signal);
      return items.length;
    });
  }

  primaryChannels(signal: AbortSignal): Promise<ChannelList | undefined> {
    return ifAvailable(PRIMARY_CHANNELS.endpoint, () => this.#lists.read([PRIMARY_CHANNELS], this.#channels, signal));
  }
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
