import type { Config } from "../../config/load.ts";
import type { Clock } from "../../lib/clock.ts";
import type { ChannelMapper } from "../../mapping/channel-mapper.ts";
import type { Store } from "../../store/store.ts";
import type { BuildInfo } from "../../telemetry/build-info.ts";
import type { ExporterMetrics } from "../../telemetry/exporter-metrics.ts";
import type { Leadership } from "../leadership.ts";
import type { MonitoredServer } from "../monitored-server.ts";
import type { ReceiverAddress } from "../otlp-push.ts";
import type { StatusCourses } from "../status-courses.ts";
import type { SensorCharts } from "./sensor-charts.ts";

/** What every report looks at: memory only, so that looking costs the monitoring server nothing. */
interface Sources<Shown extends keyof MonitoredServer> {
  readonly store: Store;
  readonly mapper: ChannelMapper;
  readonly clock: Clock;
  /** By the configured name of the server. */
  readonly monitors: ReadonlyMap<string, Pick<MonitoredServer, Shown>>;
}

/** What the pages below /debug look at. */
export type DebugSources = Sources<"inspect" | "node" | "channels" | "isLeftOut">;

/** What the status page looks at; `charts` alone asks the monitoring server. */
export interface StatusSources extends Sources<"summary" | "status" | "tree" | "nodeStatus" | "inspect"> {
  readonly config: Pick<Config, "servers" | "shard" | "standbyFor">;
  readonly build: BuildInfo;
  readonly metrics: ExporterMetrics;
  readonly courses: Pick<StatusCourses, "of">;
  readonly charts: Pick<SensorCharts, "ask">;
  /** Undefined where nothing is pushed. */
  readonly receiver: ReceiverAddress | undefined;
  readonly isReady: () => boolean;
  /** Undefined without an election. */
  readonly leadership?: Leadership | undefined;
}
