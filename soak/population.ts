import type { Random } from "./random.ts";
import type { SimulatedSite } from "./simulated-site.ts";

interface Described {
  readonly id: string;
}

/** Which sensors there are on a site, and changes of that. */
export class Population {
  readonly #site: SimulatedSite;
  readonly #random: Random;
  #devices: readonly string[] = [];
  readonly alive = new Set<string>();
  /** When each that went was removed; milliseconds since the epoch. */
  readonly removed = new Map<string, number>();
  /** When each that came was added. */
  readonly added = new Map<string, number>();
  changes = 0;
  /** A change may have been made or not: the next reading tells. */
  isUncertain = false;

  constructor(site: SimulatedSite, random: Random) {
    this.#site = site;
    this.#random = random;
  }

  async read(): Promise<void> {
    const alive = await this.#site.ids("sensors");
    this.alive.clear();
    for (const id of alive) this.alive.add(id);
    this.isUncertain = false;
    this.#devices = await this.#site.ids("devices");
  }

  /** One change of the tree; none while the site is down. */
  async change(): Promise<void> {
    try {
      await this.#change();
    } catch {
      this.isUncertain = true;
    }
  }

  async #change(): Promise<void> {
    const random = this.#random;
    this.changes++;
    const sensor = random.pick([...this.alive]);
    const device = random.pick(this.#devices);
    switch (Math.floor(random.next() * 6)) {
      case 0: {
        const made = await this.#site.control("POST", `/objects/${device}/add`, {
          sensor: `Added "${this.changes}"\\`,
        });
        const { id } = made as Described;
        this.alive.add(id);
        this.added.set(id, Date.now());
        return;
      }
      case 1:
        await this.#site.control("DELETE", `/objects/${sensor}`);
        this.alive.delete(sensor);
        this.removed.set(sensor, Date.now());
        return;
      case 2:
        await this.#site.control("POST", `/objects/${sensor}/rename`, { name: `Renamed ${this.changes} \u00e9\n` });
        return;
      case 3:
        await this.#site.control("POST", `/objects/${sensor}/move`, { to: device });
        return;
      case 4:
        await this.#site.control("POST", `/objects/${sensor}/pause`, { for: "20s" });
        return;
      default:
        await this.#site.control("POST", `/objects/${sensor}/force`, { status: "down" });
    }
  }
}
