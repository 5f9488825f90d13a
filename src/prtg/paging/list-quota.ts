import type { MemoryBudget, MemoryShare } from "../../lib/memory-budget.ts";
import { CHARACTER_BYTES, MIN_MAX_PAGES, MIN_OBJECTS_PER_PAGE, memoryFull } from "../answer-bounds.ts";
import { ApiError } from "../api-error.ts";

/** What lists of one server may hold. */
export interface ListBounds {
  /** Records of one list, values of one time series. */
  readonly maxObjects: number;
  /** Characters of text that are kept of one list. */
  readonly maxTextSize: number;
}

/** Lists of one server that are read at the same time may hold so many times together what one may. */
const MAX_CONCURRENT_LISTS = 2;

interface Amount {
  objects: number;
  text: number;
}

/** What all lists of one server hold that are being read. */
export class ListQuotas {
  readonly #bounds: ListBounds;
  readonly #memory: MemoryBudget;
  readonly #held: Amount = { objects: 0, text: 0 };

  /** `memory`: of the process. */
  constructor(bounds: ListBounds, memory: MemoryBudget) {
    this.#bounds = bounds;
    this.#memory = memory;
  }

  /**
   * For one reading of a list or of a time series, to be closed when that is over. `objectBytes`: memory that an object
   * takes beside its text.
   */
  open(endpoint: string, objectBytes: number): ListQuota {
    return new ListQuota(endpoint, this.#bounds, this.#held, { objectBytes, share: this.#memory.open() });
  }
}

/** How a list is counted against the memory of the process. */
interface ListMemory {
  readonly objectBytes: number;
  readonly share: MemoryShare;
}

/** What one list holds while it is read. Its bounds hold for each record that comes, not for whole pages. */
export class ListQuota {
  readonly #endpoint: string;
  readonly #bounds: ListBounds;
  readonly #held: Amount = { objects: 0, text: 0 };
  readonly #heldByAll: Amount;
  readonly #memory: ListMemory;
  /** As it stood when the page began. */
  #heldBefore: Readonly<Amount> = { objects: 0, text: 0 };
  #pages = 0;

  constructor(endpoint: string, bounds: ListBounds, heldByAll: Amount, memory: ListMemory) {
    this.#endpoint = endpoint;
    this.#bounds = bounds;
    this.#heldByAll = heldByAll;
    this.#memory = memory;
  }

  /** Memory that the list takes, by estimate. */
  get bytes(): number {
    return bytesOf(this.#held, this.#memory);
  }

  /**
   * A page is about to be read.
   * @throws ApiError
   */
  beginPage(): void {
    this.#heldBefore = { ...this.#held };
    this.#pages++;
    const { maxObjects } = this.#bounds;
    const maxPages = Math.max(MIN_MAX_PAGES, Math.ceil(maxObjects / MIN_OBJECTS_PER_PAGE));
    if (this.#pages <= maxPages) return;
    const what = `the list has more than ${maxPages} pages, which is limits.max_objects (${maxObjects})`;
    throw tooLarge(this.#endpoint, `${what} at ${MIN_OBJECTS_PER_PAGE} objects a page`);
  }

  /** What came of the page is given up: it is read once more. */
  restartPage(): void {
    const { objects, text } = this.#heldBefore;
    this.#change(objects - this.#held.objects, text - this.#held.text);
  }

  /**
   * `objects` more, with so many characters.
   * @throws ApiError
   */
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
    const what = `lists of this server that are read at the same time hold more than ${MAX_CONCURRENT_LISTS} times`;
    const bounds = `limits.max_objects (${maxObjects}) or limits.max_text_size (${maxTextSize})`;
    throw tooLarge(this.#endpoint, `${what} ${bounds}`);
  }

  close(): void {
    this.#change(-this.#held.objects, -this.#held.text);
  }

  /** Returns whether the process has the memory. */
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
