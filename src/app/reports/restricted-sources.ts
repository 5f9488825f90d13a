import type { Monitor } from "./node-summary.ts";
import type { StatusSources } from "./sources.ts";

/**
 * The sources of a user who sees only these servers. All others do not exist in them, so that no report can count, name or
 * time them. @param servers Names of the configuration. A server need not exist.
 */
export function restrictSources(all: StatusSources, servers: readonly string[]): StatusSources {
  const { config, courses, charts, ...rest } = all;
  const isTheirs = (name: string) => servers.includes(name);
  const monitors = new Map([...all.monitors].filter(([name]) => isTheirs(name)));
  return {
    ...rest,
    monitors,
    config: {
      servers: config.servers.filter(({ name }) => isTheirs(name)),
      shard: undefined,
      // They lead to tools of the operator.
      web: { links: [] },
      ...(config.standbyFor !== undefined && { standbyFor: config.standbyFor.filter(isTheirs) }),
    },
    courses: { of: (server) => (isTheirs(server) ? courses.of(server) : []) },
    charts: {
      read: async (server, sensorId, gone) => {
        const name = server ?? serverWith(monitors, sensorId);
        return name === undefined || !monitors.has(name) ? undefined : charts.read(name, sensorId, gone);
      },
    },
    receiver: undefined,
    leadership: undefined,
    isRestricted: true,
  };
}

/** The first of these servers that has the sensor. Another server may have the same id. */
function serverWith(monitors: ReadonlyMap<string, Monitor>, sensorId: string): string | undefined {
  for (const [name, { view }] of monitors) if (view.state.tree.nodes.get(sensorId)?.kind === "sensor") return name;
  return undefined;
}
