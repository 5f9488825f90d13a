import { mapEntry } from "../lib/map-entry.ts";
import type { Steps } from "../lib/yielding.ts";
import { keyColumns, keyOf } from "../mapping/families/family.ts";
import type { SeriesTable } from "./series-table.ts";
import type { Store } from "./store.ts";

export interface Counted {
  readonly name: string;
  readonly series: number;
}

export interface LabelCardinality {
  readonly label: string;
  readonly distinct: number;
  readonly series: number;
  readonly top: readonly Counted[];
}

/** In descending order. */
export interface Cardinality {
  readonly series: number;
  readonly families: readonly Counted[];
  readonly probes: readonly (Counted & { readonly server: string })[];
  readonly withoutProbe: number;
  readonly labels: readonly LabelCardinality[];
}

export interface CardinalityOptions {
  readonly probeOf: (server: string, id: string) => string | undefined;
  readonly top: number;
  readonly slices: Steps;
}

/** Reads one family at a time, so a commit may fall in between. */
export async function countCardinality(store: Store, options: CardinalityOptions): Promise<Cardinality> {
  const census = new Census(options);
  for (const table of [...store.tables]) await store.read(() => census.add(table));
  return census.result();
}

class Census {
  readonly #options: CardinalityOptions;
  readonly #families: Counted[] = [];
  readonly #probes = new Map<string, Map<string, number>>();
  readonly #labels = new Map<string, Map<string, number>>();
  #withoutProbe = 0;

  constructor(options: CardinalityOptions) {
    this.#options = options;
  }

  async add(table: SeriesTable): Promise<void> {
    const { probeOf, slices } = this.#options;
    const { family } = table;
    const perLabel = family.labels.map((name) => mapEntry(this.#labels, name, () => new Map<string, number>()));
    const columns = keyColumns(family);
    let series = 0;
    for (let slot = 0; slot < table.slots; slot++) {
      const turn = slices.step();
      if (turn !== undefined) await turn;
      if (!table.isPresent(slot)) continue;
      series++;
      const labels = table.labels(slot);
      for (const [column, values] of perLabel.entries()) countUp(values, labels[column] ?? "");
      const { server, id } = keyOf(columns, labels);
      const probe = columns && probeOf(server, id);
      if (probe === undefined) this.#withoutProbe++;
      else
        countUp(
          mapEntry(this.#probes, server, () => new Map<string, number>()),
          probe,
        );
    }
    if (series > 0) this.#families.push({ name: family.name, series });
  }

  async result(): Promise<Cardinality> {
    const labels: LabelCardinality[] = [];
    for (const [label, values] of this.#labels) labels.push(await this.#describe(label, values));
    const probes = [...this.#probes].flatMap(([server, counts]) =>
      [...counts].map(([name, series]) => ({ server, name, series })),
    );
    return {
      series: this.#families.reduce((sum, { series }) => sum + series, 0),
      families: this.#families.toSorted(bySeries),
      probes: probes.sort(bySeries),
      withoutProbe: this.#withoutProbe,
      labels: labels.filter(({ distinct }) => distinct > 0).sort((a, b) => b.distinct - a.distinct),
    };
  }

  /** Sorting 20,000 paths at once would block the event loop. */
  async #describe(label: string, values: ReadonlyMap<string, number>): Promise<LabelCardinality> {
    const { top: most, slices } = this.#options;
    const top: Counted[] = [];
    let distinct = 0;
    let all = 0;
    for (const [name, series] of values) {
      const turn = slices.step();
      if (turn !== undefined) await turn;
      if (name === "") continue;
      distinct++;
      all += series;
      const last = top[most - 1];
      if (last !== undefined && last.series >= series) continue;
      const at = top.findIndex((other) => other.series < series);
      top.splice(at === -1 ? top.length : at, 0, { name, series });
      if (top.length > most) top.pop();
    }
    return { label, distinct, series: all, top };
  }
}

function bySeries(a: Counted, b: Counted): number {
  return b.series - a.series;
}

function countUp(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
