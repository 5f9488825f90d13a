import type { RunRecord } from "../collectors/run-record.ts";
import type { Config } from "../config/load.ts";
import type { Clock } from "../lib/clock.ts";
import type { Matcher } from "../sync/matchers.ts";
import { type ServerFacts, ServerObjects } from "../sync/objects.ts";
import type { PausedObject, ServerSide } from "../sync/observed.ts";
import { pauseMatchers } from "../sync/pause-matchers.ts";

/** Statuses prove nothing after so many missed polls. */
const MAX_MISSED = 5;

/** Reads only what `sync` needs, in its rhythm. */
export function syncConfig(config: Config, everyMs: number): Config {
  const off = { enabled: false };
  const { health, status, tree, channels, limits, details, timeseries } = config.collectors;
  return {
    ...config,
    collectors: {
      ...{ health, tree, status: { ...status, enabled: true, schedule: { kind: "interval", everyMs } } },
      ...{ channels: { ...channels, ...off }, limits: { ...limits, ...off }, details: { ...details, ...off } },
      timeseries: { ...timeseries, ...off },
    },
    metrics: { ...config.metrics, nodeSensors: [] },
    otlp: undefined,
  };
}

interface PolledServer {
  readonly view: { readonly state: ServerFacts };
  runs(): readonly Pick<RunRecord, "name" | "lastSuccessStartedAt">[];
}

export interface SidesOptions {
  readonly exporter: { monitor(name: string): PolledServer | undefined };
  readonly servers: readonly string[];
  /** Servers with a key of `sync`. */
  readonly changeable: ReadonlySet<string>;
  readonly templates: readonly (readonly Matcher[])[];
  readonly everyMs: number;
  readonly clock: Pick<Clock, "monotonic">;
}

/** The servers whose statuses are fresh, for one round. */
export function sidesOf(options: SidesOptions): ReadonlyMap<string, ServerSide> {
  const { exporter, servers, changeable, templates, everyMs, clock } = options;
  const now = clock.monotonic();
  const sides = new Map<string, ServerSide>();
  for (const name of servers) {
    const monitor = exporter.monitor(name);
    const status = monitor?.runs().find((run) => run.name === "status");
    const statusAt = status?.lastSuccessStartedAt;
    if (monitor === undefined || statusAt === undefined) continue;
    const objects = new ServerObjects(name, monitor.view.state);
    if (!objects.isComplete(MAX_MISSED * everyMs, now)) continue;
    sides.set(name, {
      ...{ statusAt, isChangeable: changeable.has(name) },
      sensors: () => objects.sensors(),
      sensor: (id) => objects.sensor(id),
      sensorsBelow: (id) => objects.sensorsBelow(id),
      labelsOf: (id) => objects.labelsOf(id),
      pausedObjects: () =>
        objects.pausedObjects().map((paused): PausedObject => {
          const { id, path, message, devices } = paused;
          const sensors = objects.sensorsBelow(id).length;
          const matchers = templates.map((list) => pauseMatchers(list, name, devices));
          return { id, path, message, sensors, matchers };
        }),
    });
  }
  return sides;
}
