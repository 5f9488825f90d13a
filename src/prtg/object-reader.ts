import { isMissing } from "./api-error.ts";
import { type DecodeProblems, noProblems, reportProblems } from "./decode/values.ts";
import type { ObjectsApi } from "./monitoring-api.ts";
import type { ChannelRecord, NodeRecord } from "./records.ts";
import type { Requester } from "./request/requester.ts";

type Decode<Item> = (record: unknown, problems: DecodeProblems) => Item | undefined;

export interface ObjectReaderOptions {
  readonly requester: Requester;
  readonly observer: Parameters<typeof reportProblems>[1];
  readonly sensor: Decode<NodeRecord>;
  readonly channel: Decode<ChannelRecord>;
}

/** Single objects by their stable endpoints, while all lists are experimental or deprecated. */
export class ObjectReader implements ObjectsApi {
  readonly #options: ObjectReaderOptions;

  constructor(options: ObjectReaderOptions) {
    this.#options = options;
  }

  sensor(id: string, signal: AbortSignal): Promise<NodeRecord | undefined> {
    return this.#read("/sensors/{id}", id, this.#options.sensor, signal);
  }

  channel(sensorId: string, channelId: string, signal: AbortSignal): Promise<ChannelRecord | undefined> {
    return this.#read("/channels/{id}", `${sensorId}.${channelId}`, this.#options.channel, signal);
  }

  async #read<Item>(
    endpoint: string,
    id: string,
    decode: Decode<Item>,
    signal: AbortSignal,
  ): Promise<Item | undefined> {
    const { requester, observer } = this.#options;
    const path = endpoint.replace("{id}", () => encodeURIComponent(id));
    try {
      const { json } = await requester.get({ endpoint, path }, signal);
      const problems = noProblems();
      const item = decode(json, problems);
      reportProblems(problems, observer);
      return item;
    } catch (error) {
      if (isMissing(endpoint, error)) return undefined;
      throw error;
    }
  }
}
