import type { Visibility } from "../auth/visibility.ts";
import type { SimNode, SimStatus, World } from "../world/model.ts";
import { isSensor } from "../world/objects.ts";
import { type Spelling, STATUS_TOKENS, statusWords } from "./spelling.ts";

const POSITIONS: ReadonlyMap<SimStatus, number> = new Map(STATUS_TOKENS.map((token, position) => [token, position]));

/** Sensors per status, by the position of the status in STATUS_TOKENS. */
export type StatusCounts = Uint32Array;

/** Sensors per status below any object at one time; each subtree is counted once. */
export class StatusSummaries {
  readonly #world: World;
  readonly #now: number;
  readonly #visibility: Visibility;
  readonly #counts = new Map<SimNode, StatusCounts>();

  constructor(world: World, now: number, visibility: Visibility) {
    this.#world = world;
    this.#now = now;
    this.#visibility = visibility;
  }

  /** The visible sensors at or below the node. */
  of(node: SimNode): StatusCounts {
    const known = this.#counts.get(node);
    if (known !== undefined) return known;
    const counts: StatusCounts = new Uint32Array(STATUS_TOKENS.length);
    for (const child of node.children) {
      if (isSensor(child)) this.#count(child, counts);
      else
        this.of(child).forEach((count, position) => {
          counts[position] = (counts[position] ?? 0) + count;
        });
    }
    this.#counts.set(node, counts);
    return counts;
  }

  #count(sensor: SimNode, counts: StatusCounts): void {
    if (!this.#visibility.sees(sensor)) return;
    const position = POSITIONS.get(this.#world.state(sensor, this.#now).status) ?? 0;
    counts[position] = (counts[position] ?? 0) + 1;
  }
}

/** What decides the colour of an object, worst first: one sensor in such a state is enough. */
const SEVERITY: readonly SimStatus[] = [
  "down",
  "partialdown",
  "acknowledged",
  "disconnected",
  "warning",
  "unusual",
  "up",
  "collecting",
  "pausedbylicense",
  "pausedbyuser",
  "pauseduntil",
  "pausedbyschedule",
  "pausedbydependency",
  "unknown",
  "none",
];

export function calculatedStatus(counts: StatusCounts): SimStatus {
  return SEVERITY.find((token) => countOf(counts, token) > 0) ?? "none";
}

/** Sensors per status, JSON. Fields are the tokens in the specification, those of live servers in part ours. */
export function renderSummary(counts: StatusCounts, spelling: Spelling): string {
  const total = counts.reduce((sum, count) => sum + count, 0);
  const live = spelling.name === "live";
  const members = [`"calculated_status":${spelling.status(calculatedStatus(counts))}`, `"total":${total}`];
  for (const token of STATUS_TOKENS) {
    members.push(`"${live ? statusWords(token) : token}":${countOf(counts, token)}`);
  }
  return `{${members.join(",")}}`;
}

function countOf(counts: StatusCounts, token: SimStatus): number {
  return counts[POSITIONS.get(token) ?? 0] ?? 0;
}
