/** What a group is for; decides which devices sit in it. */
export type Category =
  | "mixed"
  | "switches"
  | "routers"
  | "wireless"
  | "windows"
  | "linux"
  | "virtual"
  | "database"
  | "storage"
  | "power"
  | "printers"
  | "web";

export interface City {
  readonly name: string;
  /** As in host names. */
  readonly code: string;
  /** Hours from UTC; the simulator knows no summer time. */
  readonly hours: number;
}

const CITIES: readonly [City, ...City[]] = [
  { name: "Nürnberg", code: "nue", hours: 1 },
  { name: "Frankfurt", code: "fra", hours: 1 },
  { name: "Dublin", code: "dub", hours: 0 },
  { name: "Ashburn", code: "iad", hours: -5 },
  { name: "São Paulo", code: "gru", hours: -3 },
  { name: "Singapore", code: "sin", hours: 8 },
  { name: "Tōkyō", code: "nrt", hours: 9 },
  { name: "Zürich", code: "zrh", hours: 1 },
  { name: "Kraków", code: "krk", hours: 1 },
  { name: "Malmö", code: "mma", hours: 1 },
  { name: "Mumbai", code: "bom", hours: 5.5 },
  { name: "Sydney", code: "syd", hours: 10 },
  { name: "Portland", code: "pdx", hours: -8 },
  { name: "Warszawa", code: "waw", hours: 1 },
  { name: "Johannesburg", code: "jnb", hours: 2 },
  { name: "Montréal", code: "yul", hours: -5 },
];

interface GroupShape {
  readonly name: string;
  /** Index within the shape; undefined for the site's own group. */
  readonly parent: number | undefined;
  readonly category: Category;
}

/** Any beginning of a shape is a tree: parents come first. */
const DATACENTRE: readonly GroupShape[] = [
  { name: "{city} DC{n}", parent: undefined, category: "mixed" },
  { name: "Network", parent: 0, category: "switches" },
  { name: "Servers", parent: 0, category: "windows" },
  { name: "Switches", parent: 1, category: "switches" },
  { name: "Windows", parent: 2, category: "windows" },
  { name: "Linux", parent: 2, category: "linux" },
  { name: "Power & Cooling", parent: 0, category: "power" },
  { name: "Web Shops", parent: 0, category: "web" },
  { name: "Virtualization", parent: 2, category: "virtual" },
  { name: "Routers/Firewalls", parent: 1, category: "routers" },
  { name: "Storage", parent: 0, category: "storage" },
  { name: "Access Switches", parent: 3, category: "switches" },
  { name: "Databases", parent: 2, category: "database" },
];

const OFFICE: readonly GroupShape[] = [
  { name: "{city} Office{n}", parent: undefined, category: "mixed" },
  { name: "Network", parent: 0, category: "switches" },
  { name: "Clients & Printers", parent: 0, category: "printers" },
  { name: "Switches", parent: 1, category: "switches" },
  { name: "Wireless", parent: 1, category: "wireless" },
  { name: "Servers", parent: 0, category: "windows" },
  { name: "Building", parent: 0, category: "power" },
];

export interface GroupPlan {
  readonly name: string;
  /** Index within the plan of the probe; undefined below the probe itself. */
  readonly parent: number | undefined;
  readonly category: Category;
  readonly city: City;
}

export function cityOf(probe: number, site: number): City {
  return CITIES[(probe * 5 + site) % CITIES.length] ?? CITIES[0];
}

/** The groups below one probe: site after site, each cut off where the count is reached. */
export function planGroups(probe: number, count: number): GroupPlan[] {
  const plan: GroupPlan[] = [];
  for (let site = 0; plan.length < count; site++) {
    const shape = (probe + site) % 3 === 0 ? DATACENTRE : OFFICE;
    const city = cityOf(probe, site);
    const round = Math.floor(site / CITIES.length);
    const first = plan.length;
    for (const { name, parent, category } of shape.slice(0, count - first)) {
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
