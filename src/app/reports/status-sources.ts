import type { Config } from "../../config/load.ts";
import type { Clock } from "../../lib/clock.ts";
import type { ChannelMapper } from "../../mapping/channel-mapper.ts";
import type { Store } from "../../store/store.ts";
import type { BuildInfo } from "../../telemetry/build-info.ts";
import type { ExporterMetrics } from "../../telemetry/exporter-metrics.ts";
import type { MonitoredServer } from "../monitored-server.ts";
import type { ReceiverAddress } from "../otlp-push.ts";

/** What the status page looks at: memory only, so that looking costs the monitoring server nothing. */
export interface StatusSources {
  readonly config: Pick<Config, "servers" | "shard">;
  readonly build: BuildInfo;
  readonly store: Store;
  readonly mapper: ChannelMapper;
  readonly clock: Clock;
  readonly metrics: ExporterMetrics;
  /** By the configured name of the server. */
  readonly monitors: ReadonlyMap<string, Pick<MonitoredServer, "status" | "tree" | "nodeStatus" | "inspect">>;
  /** Undefined where nothing is pushed. */
  readonly receiver: ReceiverAddress | undefined;
  readonly isReady: () => boolean;
}
