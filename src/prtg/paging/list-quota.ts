import type { MemoryBudget, MemoryShare } from "../../lib/memory-budget.ts";
import { CHARACTER_BYTES, MIN_MAX_PAGES, MIN_OBJECTS_PER_PAGE, memoryFull } from "../answer-bounds.ts";
import { ApiError } from "../api-error.ts";

export interface ListBounds {
  /** Records of a list, or values of a time series. */
  readonly maxObjects: number;
  /** Characters kept of one list. */
  readonly maxTextSize: number;
}

/** Factor for all concurrent lists of one server. */
const MAX_CONCURRENT_LISTS = 2;

interface Amount {
  objects: number;
  text: number;
}

export class ListQuotas {
  readonly #bounds: ListBounds;
  readonly #memory: MemoryBudget;
  readonly #held: Amount = { objects: 0, text: 0 };

  /** @param memory Of the process. */
  constructor(bounds: ListBounds, memory: MemoryBudget) {
    this.#bounds = bounds;
    this.#memory = memory;
  }

  /**
   * Opens the quota of one read. Close it afterwards.
   * @param objectBytes Memory of an object without text.
   */
  open(endpoint: string, objectBytes: number): ListQuota {
    return new ListQuota(endpoint, this.#bounds, this.#held, { objectBytes, share: this.#memory.open() });
  }
}

interface ListMemory {
  readonly objectBytes: number;
  readonly share: MemoryShare;
}

/** The size of one list during its read. Checks each record, not whole pages. */
export class ListQuota {
  readonly #endpoint: string;
  readonly #bounds: ListBounds;
  readonly #held: Amount = { objects: 0, text: 0 };
  readonly #heldByAll: Amount;
  readonly #memory: ListMemory;
  /** At the begin of the page. */
  #heldBefore: Readonly<Amount> = { objects: 0, text: 0 };
  #pages = 0;

  constructor(endpoint: string, bounds: ListBounds, heldByAll: Amount, memory: ListMemory) {
    this.#endpoint = endpoint;
    this.#bounds = bounds;
    this.#heldByAll = heldByAll;
    this.#memory = memory;
  }

  /** Estimated memory. */
  get bytes(): number {
    return bytesOf(this.#held, this.#memory);
  }

  beginPage(): void {
    this.#heldBefore = { ...this.#held };
    this.#pages++;
    const { maxObjects } = this.#bounds;
    const maxPages = Math.max(MIN_MAX_PAGES, Math.ceil(maxObjects / MIN_OBJECTS_PER_PAGE));
    if (this.#pages <= maxPages) return;
    const what = `the list has more than ${maxPages} pages: limits.max_objects (${maxObjects})`;
    throw tooLarge(this.#endpoint, `${what} with ${MIN_OBJECTS_PER_PAGE} objects per page`);
  }

  /** Drops the records of the page before a retry. */
  restartPage(): void {
    const { objects, text } = this.#heldBefore;
    this.#change(objects - this.#held.objects, text - this.#held.text);
  }

  add(objects: number, text: number): void {
    const fits = this.#change(objects, text);
    const { maxObjects, maxTextSize } = this.#bounds;
    if (this.#held.objects > maxObjects) {
      throw tooLarge(this.#endpoint, `more than ${maxObjects} (limits.max_objects)`);
    }
    if (this.#held.text > maxTextSize) {
      throw tooLarge(this.#endpoint, `more than ${maxTextSize} characters of text (limits.max_text_size)`);
    }
    const isTooMuch =
      this.#heldByAll.objects > MAX_CONCURRENT_LISTS * maxObjects ||
      this.#heldByAll.text > MAX_CONCURRENT_LISTS * maxTextSize;
    if (!isTooMuch && fits) return;
    if (!isTooMuch) throw memoryFull(this.#endpoint, this.#memory.share.maxBytes);
    const what = `concurrent lists of this server exceed ${MAX_CONCURRENT_LISTS} times`;
    const bounds = `limits.max_objects (${maxObjects}) or limits.max_text_size (${maxTextSize})`;
    throw tooLarge(this.#endpoint, `${what} ${bounds}`);
  }

  close(): void {
    this.#change(-this.#held.objects, -this.#held.text);
  }

  #change(objects: number, text: number): boolean {
    this.#held.objects += objects;
    this.#held.text += text;
    this.#heldByAll.objects += objects;
    this.#heldByAll.text += text;
    return this.#memory.share.add(bytesOf({ objects, text }, this.#memory));
  }
}

function bytesOf({ objects, text }: Amount, { objectBytes }: ListMemory): number {
  return objects * objectBytes + text * CHARACTER_BYTES;
}

function tooLarge(endpoint: string, what: string): ApiError {
  return new ApiError("API_LIST_TOO_LARGE", `${endpoint}: ${what}`, { endpoint });
}
