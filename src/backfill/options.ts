import type { Logger } from "pino";
import type { Clock } from "../lib/clock.ts";
import type { ChannelMapper } from "../mapping/channel-mapper.ts";
import type { MonitoringApi } from "../prtg/monitoring-api.ts";
import type { ExtraLabel, GivenTime } from "./flag-values.ts";
import type { BackfillParameters } from "./parameters.ts";
import type { Selection } from "./plan.ts";
import type { BackfillProgress } from "./progress.ts";
import type { PushTarget } from "./push-delivery.ts";

/** What a backfill needs: the outside world, and what the user asked for. */
export interface BackfillOptions {
  readonly api: MonitoringApi;
  /** The configured name of the server. */
  readonly server: string;
  readonly from: GivenTime;
  readonly to: GivenTime;
  readonly selection: Selection;
  /** Labels and rules, those of `serve`. */
  readonly mapper: ChannelMapper;
  readonly extraLabels: readonly ExtraLabel[];
  /** The same once more, as the journal keeps it. */
  readonly parameters: BackfillParameters;
  /** Where files go, or what is to be remembered of a push. */
  readonly output: string;
  /** Where history is pushed to; undefined: it goes into files. */
  readonly push?: PushTarget | undefined;
  /** Whether sensors that cannot be read may be missing in the end. */
  readonly skipFailed: boolean;
  /** Sensors that are read at the same time. */
  readonly concurrency: number;
  readonly clock: Clock;
  readonly log: Logger;
  readonly progress: BackfillProgress;
  readonly signal: AbortSignal;
}
