import { setImmediate as nextTurn } from "node:timers/promises";
import type { SeriesTable } from "../store/series-table.ts";
import type { Store } from "../store/store.ts";
import { type BodyFormat, formatHeader } from "./format.ts";
import { formatValue } from "./text.ts";

/** Series rendered before the event loop gets its turn: a slice takes one to two milliseconds. */
const SLICE = 2_000;

interface RenderedTable {
  readonly version: number;
  readonly size: number;
  readonly samples: readonly Buffer[];
}

/**
 * Renders the store, a family at a time. The samples of a family read the same in every format, so they are rendered
 * once per change of the family; only the headers differ.
 */
export class TreePages {
  readonly #store: Store;
  readonly #rendered = new Map<SeriesTable, RenderedTable>();
  #version = -1;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Version of the store that `buffers` shows. */
  get version(): number {
    return this.#version;
  }

  /** Brings every changed family up to date, in slices that yield, while nobody writes to the store. */
  refresh(): Promise<void> {
    return this.#store.read(async () => {
      for (const table of this.#store.tables) {
        if (this.#rendered.get(table)?.version !== table.version) {
          this.#rendered.set(table, { version: table.version, size: table.size, samples: await renderSamples(table) });
        }
      }
      this.#version = this.#store.version;
    });
  }

  /** The page in `format` as of the last refresh. */
  buffers(format: BodyFormat): Buffer[] {
    return [...this.#rendered].flatMap(([table, { size, samples }]) =>
      size === 0 ? [] : [Buffer.from(formatHeader(format, table.family)), ...samples],
    );
  }
}

async function renderSamples(table: SeriesTable): Promise<Buffer[]> {
  const buffers: Buffer[] = [];
  const { name } = table.family;
  for (let start = 0; start < table.slots; start += SLICE) {
    const end = Math.min(start + SLICE, table.slots);
    let text = "";
    for (let slot = start; slot < end; slot++) {
      if (table.isPresent(slot)) text += `${name}${table.labelText(slot)} ${formatValue(table.value(slot))}\n`;
    }
    if (text !== "") buffers.push(Buffer.from(text));
    if (end < table.slots) await nextTurn();
  }
  return buffers;
}
