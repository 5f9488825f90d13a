import type { World } from "../world/model.ts";
import type { Discovery } from "./discovery.ts";

const DAY_MS = 86_400_000;

/** Jobs that have been there for a while: one on a group of each probe, and one on a single device. */
export function seedJobs(discovery: Discovery, world: World, now: number): void {
  const [first, second] = world.list("group").filter(({ children }) => children.some(({ kind }) => kind === "device"));
  const device = world.list("device").at(-1);
  const templates = ["generic-snmp.odt", "generic-ping.odt"];
  if (first !== undefined) {
    const draft = { name: `Weekly sweep of ${first.name}`, schedule: "weekly", templates } as const;
    discovery.create(first, draft, Math.floor(now) - 33 * DAY_MS - 5_400_000);
  }
  if (second !== undefined) {
    const draft = { name: "Nightly search", schedule: "daily", templates: [] } as const;
    discovery.create(second, draft, Math.floor(now) - 4 * DAY_MS - 47_000_000);
  }
  if (device !== undefined) {
    const draft = { name: `New sensors of ${device.name}`, schedule: "once", templates: ["generic-snmp.odt"] } as const;
    discovery.create(device, draft, Math.floor(now) - 12 * DAY_MS);
  }
  discovery.advance(now);
}
