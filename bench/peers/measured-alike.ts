import type { World } from "../../src/simulator/world/model.ts";

/**
 * Has every sensor of a world measured at the same interval: of each node, as some have one of their own; since ever, so that the past is
 * as long as that of others.
 */
export function measureAlike(world: World, intervalSeconds: number): void {
  const interval = { seconds: intervalSeconds, errorIntervalsDown: 1 } as const;
  const nodes = [...world.list("probe"), ...world.list("group"), ...world.list("device"), ...world.list("sensor")];
  for (const { id } of nodes) world.edit(id, { interval }, Number.NEGATIVE_INFINITY);
}
