import type { ChannelMapper } from "../mapping/channel-mapper.ts";
import type { StatePush } from "../otlp/state-push.ts";
import type { Store } from "../store/store.ts";
import type { ExporterMetrics } from "../telemetry/exporter-metrics.ts";
import type { ExporterContext } from "./context.ts";
import type { MonitoredServer } from "./monitored-server.ts";
import type { OtlpPush } from "./otlp-push.ts";

export interface StateOutputOptions {
  readonly store: Store;
  readonly metrics: ExporterMetrics;
  readonly context: ExporterContext;
  readonly monitorOf: (server: string) => Pick<MonitoredServer, "delivery" | "view"> | undefined;
}

/** The push of the current state. A reload stops it and starts another one. */
export class StateOutput {
  readonly #options: StateOutputOptions;
  #state: StatePush | undefined;

  constructor(options: StateOutputOptions) {
    this.#options = options;
  }

  /** @param push `undefined`: push is disabled */
  start(push: OtlpPush | undefined, mapper: ChannelMapper): void {
    const { store, metrics, context, monitorOf } = this.#options;
    const underWay = {
      endOf: (server: string, sensorId: string) => monitorOf(server)?.delivery?.endOf(sensorId),
      holds: (server: string, sensorId: string, channelId: string) =>
        monitorOf(server)?.delivery?.outbox.holds(sensorId, channelId) === true,
    };
    const stateOf = (server: string) => monitorOf(server)?.view.state;
    this.#state = push?.startState({ ...context, store, metrics, mapper, underWay, stateOf });
  }

  /** Sends once more. */
  async stop(graceMs: number): Promise<void> {
    const state = this.#state;
    this.#state = undefined;
    await state?.stop(graceMs);
  }
}
