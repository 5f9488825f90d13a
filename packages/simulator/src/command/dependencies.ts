import type { SimDevice, SimSensor, World } from "../world/model.ts";
import { isSensor } from "../world/objects.ts";

/** Tags of devices that are reached through the switch of their site. */
const BEHIND: readonly string[] = ["printer", "wifi", "windows", "linux"];

/**
 * In each site with a core switch, hosts depend on the first ping of that switch, as administrators set it. So people can
 * rehearse a lost switch.
 */
export function addDependencies(world: World, at: number): void {
  const bySite = Map.groupBy(world.list("device"), siteOf);
  for (const devices of bySite.values()) {
    const switches = devices.filter(({ tags }) => tags.includes("switch"));
    // Core switches first.
    const ping = [...switches.filter(({ tags }) => tags.includes("cisco")), ...switches].flatMap(pingOf)[0];
    if (ping === undefined) continue;
    for (const { id, tags } of devices) {
      if (!tags.some((tag) => BEHIND.includes(tag))) continue;
      world.edit(id, { dependency: { schedule: "none", dependsOn: ping.id } }, at);
    }
  }
}

/** The group below the probe, or the probe. */
function siteOf(device: SimDevice): string {
  let node = device.parent;
  while (node?.kind === "group" && node.parent?.kind === "group") node = node.parent;
  return node?.id ?? "";
}

function pingOf({ children }: SimDevice): SimSensor[] {
  return children.filter(isSensor).filter(({ type }) => /(^|\.)ping(_sensor)?(\.|$)/.test(type));
}
