import type { Visibility } from "../auth/visibility.ts";
import type { World } from "../world/model.ts";
import type { JsonCache } from "./json-cache.ts";
import type { Spelling } from "./spelling.ts";
import { StatusSummaries } from "./summary.ts";

/** List values rounded, and their timestamps off by a second: what a list shows against a time series. */
export interface Rounding {
  /** Decimal digits left. */
  readonly digits: number;
}

/** Everything that the records of one request are rendered from. One request sees one point in time. */
export interface Rendering {
  readonly world: World;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly spelling: Spelling;
  readonly visibility: Visibility;
  readonly cache: JsonCache;
  readonly summaries: StatusSummaries;
  readonly rounding: Rounding | undefined;
  /** JSON of a timestamp; remembers the last one, as the channels of a sensor share theirs. */
  timestamp(at: number): string;
}

export interface RenderingOptions {
  readonly world: World;
  readonly now: number;
  readonly spelling: Spelling;
  readonly visibility: Visibility;
  readonly cache: JsonCache;
  readonly rounding: Rounding | undefined;
}

export function createRendering(options: RenderingOptions): Rendering {
  const { world, now, spelling, visibility, cache } = options;
  cache.refresh();
  let lastAt = Number.NaN;
  let lastText = "";
  return {
    ...options,
    summaries: new StatusSummaries(world, now, visibility),
    timestamp(at) {
      if (at !== lastAt) {
        lastAt = at;
        lastText = spelling.timestamp(at);
      }
      return lastText;
    },
  };
}
