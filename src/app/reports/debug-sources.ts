import type { Clock } from "../../lib/clock.ts";
import type { ChannelMapper } from "../../mapping/channel-mapper.ts";
import type { Store } from "../../store/store.ts";
import type { MonitoredServer } from "../monitored-server.ts";

/** What the pages below /debug look at: memory only, so that looking costs the monitoring server nothing. */
export interface DebugSources {
  readonly store: Store;
  readonly mapper: ChannelMapper;
  readonly clock: Clock;
  /** By the configured name of the server. */
  readonly monitors: ReadonlyMap<string, Pick<MonitoredServer, "inspect" | "node" | "channels">>;
}
