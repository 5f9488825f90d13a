import type { RunRecord } from "../../collectors/run-record.ts";
import type { Config } from "../../config/load.ts";
import type { Clock } from "../../lib/clock.ts";
import type { ChannelMapper } from "../../mapping/channel-mapper.ts";
import type { ChangeLog } from "../../model/change-log.ts";
import type { OutageTracker } from "../../model/outage-tracker.ts";
import type { ServerState } from "../../model/server-state.ts";
import type { ServerView } from "../../projection/server-view.ts";
import type { Store } from "../../store/store.ts";
import type { BuildInfo } from "../../telemetry/build-info.ts";
import type { ExporterMetrics } from "../../telemetry/exporter-metrics.ts";
import type { Leadership } from "../context.ts";
import type { MonitoredServer } from "../monitored-server.ts";
import type { ReceiverAddress } from "../otlp-receiver.ts";
import type { StatusCourses } from "../status-courses.ts";
import type { SensorCharts } from "./sensor-charts.ts";

/**
 * Objects of one moment: each request asks for them again, because a reload exchanges some. Reports read memory only, so that
 * they cost the monitoring server nothing.
 */
interface Sources<Monitor> {
  readonly store: Store;
  readonly mapper: ChannelMapper;
  readonly clock: Clock;
  /** Servers by their configured name. */
  readonly monitors: ReadonlyMap<string, Monitor>;
}

/** The tree of a server, with statuses. */
export interface TreeView {
  readonly state: Pick<ServerState, "tree" | "statusOf">;
}

/** The last runs of a collector. */
export type RecordedRuns = Pick<RunRecord, "name" | "currentRun" | "lastRun" | "lastFailedRun" | "error">;

/** Sources of the pages below /debug. */
export type DebugSources = Sources<
  Pick<MonitoredServer, "isLeftOut"> & {
    runs(): readonly RecordedRuns[];
    readonly view: Pick<ServerView, "inspect" | "present" | "channels"> & { readonly state: Pick<ServerState, "tree"> };
  }
>;

type StatusMonitor = Pick<MonitoredServer, "summary" | "status"> & {
  readonly changes: Pick<ChangeLog, "since" | "recent" | "outages">;
  readonly view: Pick<ServerView, "inspect" | "present"> &
    TreeView & {
      readonly state: Pick<ServerState, "node"> & { readonly outages: Pick<OutageTracker, "size" | "of" | "devices"> };
    };
};

/** Sources of the status page. Only `charts` sends requests to the monitoring server. */
export interface StatusSources extends Sources<StatusMonitor> {
  readonly config: Pick<Config, "servers" | "shard" | "standbyFor"> & { readonly web: Pick<Config["web"], "links"> };
  readonly build: BuildInfo;
  readonly metrics: ExporterMetrics;
  readonly courses: Pick<StatusCourses, "of">;
  readonly charts: Pick<SensorCharts, "read">;
  /** `undefined` if push is disabled. */
  readonly receiver: ReceiverAddress | undefined;
  readonly isReady: boolean;
  /** For a user who sees only these servers, and nothing of the exporter. */
  readonly isRestricted?: boolean;
  /** `undefined` without an election. */
  readonly leadership?: Leadership | undefined;
}
