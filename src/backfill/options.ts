import type { Logger } from "pino";
import type { Clock } from "../lib/clock.ts";
import type { ChannelMapper } from "../mapping/channel-mapper.ts";
import type { MonitoringApi } from "../prtg/monitoring-api.ts";
import type { ExtraLabel, TimeFlag } from "./flag-values.ts";
import type { BackfillParameters } from "./parameters.ts";
import type { Selection } from "./plan.ts";
import type { BackfillProgress } from "./progress.ts";
import type { PushTarget } from "./push-delivery.ts";

/** The outside world, and what the user asks for. */
export interface BackfillOptions {
  readonly api: MonitoringApi;
  /** Its configured name. */
  readonly server: string;
  readonly from: TimeFlag;
  readonly to: TimeFlag;
  readonly selection: Selection;
  /** Labels and rules, those of `serve`. */
  readonly mapper: ChannelMapper;
  readonly extraLabels: readonly ExtraLabel[];
  /** The same for the journal. */
  readonly parameters: BackfillParameters;
  /** Folder of files, or of the state of a push. */
  readonly output: string;
  /** Undefined: files. */
  readonly push?: PushTarget | undefined;
  /** The result may lack sensors that cannot be read. */
  readonly skipFailed: boolean;
  /** At the same time. */
  readonly concurrency: number;
  readonly clock: Clock;
  readonly log: Logger;
  readonly progress: BackfillProgress;
  readonly signal: AbortSignal;
}
