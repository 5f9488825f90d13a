import type { MemoryBudget, MemoryShare } from "../../lib/memory-budget.ts";
import { CHARACTER_BYTES, MIN_MAX_PAGES, MIN_OBJECTS_PER_PAGE, memoryFull } from "../answer-bounds.ts";
import { ApiError } from "../api-error.ts";
import type { ApiLimits } from "../options.ts";

export type ListBounds = Pick<ApiLimits, "maxObjects" | "maxTextSize">;

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
    const share = this.#memory.open();
    return new ListQuota({ endpoint, objectBytes, share, ...this.#bounds, heldByAll: this.#held });
  }
}

interface ListQuotaOptions extends ListBounds {
  readonly endpoint: string;
  readonly objectBytes: number;
  readonly share: MemoryShare;
  /** Amount that all lists of the server hold. */
  readonly heldByAll: Amount;
}

/** The size of one list during its read. Checks each record, not whole pages. */
export class ListQuota {
  readonly #options: ListQuotaOptions;
  readonly #held: Amount = { objects: 0, text: 0 };
  /** Amount held at the start of the page. */
  #heldBefore: Readonly<Amount> = { objects: 0, text: 0 };
  #pages = 0;

  constructor(options: ListQuotaOptions) {
    this.#options = options;
  }

  /** Estimated memory. */
  get bytes(): number {
    return this.#bytesOf(this.#held);
  }

  beginPage(): void {
    this.#heldBefore = { ...this.#held };
    this.#pages++;
    const { maxObjects } = this.#options;
    const maxPages = Math.max(MIN_MAX_PAGES, Math.ceil(maxObjects / MIN_OBJECTS_PER_PAGE));
    if (this.#pages <= maxPages) return;
    const what = `the list has more than ${maxPages} pages: limits.max_objects (${maxObjects})`;
    throw this.#tooLarge(`${what} with ${MIN_OBJECTS_PER_PAGE} objects per page`);
  }

  /** Drops the records of the page before a retry. */
  restartPage(): void {
    const { objects, text } = this.#heldBefore;
    this.#change(objects - this.#held.objects, text - this.#held.text);
  }

  add(objects: number, text: number): void {
    const fits = this.#change(objects, text);
    const { endpoint, maxObjects, maxTextSize, heldByAll, share } = this.#options;
    if (this.#held.objects > maxObjects) throw this.#tooLarge(`more than ${maxObjects} (limits.max_objects)`);
    if (this.#held.text > maxTextSize) {
      throw this.#tooLarge(`more than ${maxTextSize} characters of text (limits.max_text_size)`);
    }
    if (heldByAll.objects > MAX_CONCURRENT_LISTS * maxObjects || heldByAll.text > MAX_CONCURRENT_LISTS * maxTextSize) {
      const bounds = `limits.max_objects (${maxObjects}) or limits.max_text_size (${maxTextSize})`;
      throw this.#tooLarge(`concurrent lists of this server exceed ${MAX_CONCURRENT_LISTS} times ${bounds}`);
    }
    if (!fits) throw memoryFull(endpoint, share.maxBytes);
  }

  close(): void {
    this.#change(-this.#held.objects, -this.#held.text);
  }

  #change(objects: number, text: number): boolean {
    for (const held of [this.#held, this.#options.heldByAll]) {
      held.objects += objects;
      held.text += text;
    }
    return this.#options.share.add(this.#bytesOf({ objects, text }));
  }

  #bytesOf({ objects, text }: Amount): number {
    return objects * this.#options.objectBytes + text * CHARACTER_BYTES;
  }

  #tooLarge(what: string): ApiError {
    const { endpoint } = this.#options;
    return new ApiError("API_LIST_TOO_LARGE", `${endpoint}: ${what}`, { endpoint });
  }
}
