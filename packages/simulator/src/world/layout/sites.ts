import { z } from "zod";
import data from "../../../data/sites.json" with { type: "json" };

/** What a group is for; decides which devices sit in it. */
const category = z.enum([
  ...(["mixed", "switches", "routers", "wireless", "windows", "linux"] as const),
  ...(["virtual", "database", "storage", "power", "printers", "web"] as const),
]);
export type Category = z.infer<typeof category>;

const city = z.strictObject({
  name: z.string(),
  /** As in host names. */
  code: z.string(),
  /** Hours from UTC; the simulator knows no summer time. */
  hours: z.number(),
  /** People there speak German. */
  isGerman: z.literal(true).exactOptional(),
});
export type City = Readonly<z.infer<typeof city>>;

/** Any beginning of a shape is a tree: parents, by their index, come first. The site's own group has none. */
const shape = z.array(z.strictObject({ name: z.string(), parent: z.number().optional(), category }));

const SITES = z
  .strictObject({ cities: z.tuple([city], city), germanProbe: z.number(), datacentre: shape, office: shape })
  .parse(data);

/** Index of the probe whose sensors in German cities have channels with German names. */
export const GERMAN_PROBE = SITES.germanProbe;

export interface GroupPlan {
  readonly name: string;
  /** Index within the plan of the probe; undefined below the probe itself. */
  readonly parent: number | undefined;
  readonly category: Category;
  readonly city: City;
}

export function cityOf(probe: number, site: number): City {
  const { cities } = SITES;
  return cities[(probe * 5 + site) % cities.length] ?? cities[0];
}

/** The groups below one probe: site after site, each cut off where the count is reached. */
export function planGroups(probe: number, count: number): GroupPlan[] {
  const plan: GroupPlan[] = [];
  for (let site = 0; plan.length < count; site++) {
    const groups = (probe + site) % 3 === 0 ? SITES.datacentre : SITES.office;
    const city = cityOf(probe, site);
    const round = Math.floor(site / SITES.cities.length);
    const first = plan.length;
    for (const { name, parent, category } of groups.slice(0, count - first)) {
      plan.push({
        name: name.replace("{city}", city.name).replace("{n}", round === 0 ? "" : ` ${round + 1}`),
        parent: parent === undefined ? undefined : first + parent,
        category,
        city,
      });
    }
  }
  return plan;
}
