import { MIN_MAX_PAGES, MIN_OBJECTS_PER_PAGE } from "../answer-bounds.ts";
import { ApiError } from "../api-error.ts";

/** What lists of one server may hold. */
export interface ListBounds {
  /** Records of one list, values of one time series. */
  readonly maxObjects: number;
  /** Characters of text that are kept of one list. */
  readonly maxTextSize: number;
}

interface Amount {
  readonly objects: number;
  readonly text: number;
}

/** Lists of one server that are read at the same time may hold so many times together what one may. */
const LISTS_AT_A_TIME = 2;
const NOTHING: Amount = { objects: 0, text: 0 };

/** What all lists of one server hold that are being read. */
export class ListAccounts {
  readonly #bounds: ListBounds;
  #held = NOTHING;

  constructor(bounds: ListBounds) {
    this.#bounds = bounds;
  }

  /** For one reading of a list or of a time series, to be closed when that is over. */
  open(endpoint: string): ListAccount {
    return new ListAccount(endpoint, this.#bounds, (change) => this.#change(endpoint, change));
  }

  #change(endpoint: string, change: Amount): void {
    this.#held = { objects: this.#held.objects + change.objects, text: this.#held.text + change.text };
    const { maxObjects, maxTextSize } = this.#bounds;
    const isTooMuch =
      this.#held.objects > LISTS_AT_A_TIME * maxObjects || this.#held.text > LISTS_AT_A_TIME * maxTextSize;
    if (!isTooMuch || (change.objects <= 0 && change.text <= 0)) return;
    const what = `lists of this server that are read at the same time hold more than ${LISTS_AT_A_TIME} times`;
    throw tooLarge(endpoint, `${what} limits.max_objects (${maxObjects}) or limits.max_text_size (${maxTextSize})`);
  }
}

/** Records are entered in the account of all lists in so many at a time. */
const BATCH = 256;

/** What one list holds while it is read. Its bounds hold for each record that comes, not for whole pages. */
export class ListAccount {
  readonly #endpoint: string;
  readonly #bounds: ListBounds;
  readonly #onChange: (change: Amount) => void;
  #objects = 0;
  #text = 0;
  #pages = 0;
  /** As it stood when the page began. */
  #before = NOTHING;
  /** As it stands in the account of all lists. */
  #entered = NOTHING;

  constructor(endpoint: string, bounds: ListBounds, onChange: (change: Amount) => void) {
    this.#endpoint = endpoint;
    this.#bounds = bounds;
    this.#onChange = onChange;
  }

  get maxObjects(): number {
    return this.#bounds.maxObjects;
  }

  /**
   * A page is about to be read.
   * @throws ApiError
   */
  beginPage(): void {
    this.#before = { objects: this.#objects, text: this.#text };
    this.#pages++;
    const { maxObjects } = this.#bounds;
    const maxPages = Math.max(MIN_MAX_PAGES, Math.ceil(maxObjects / MIN_OBJECTS_PER_PAGE));
    if (this.#pages <= maxPages) return;
    const what = `the list has more than ${maxPages} pages, which is limits.max_objects (${maxObjects})`;
    throw tooLarge(this.#endpoint, `${what} at ${MIN_OBJECTS_PER_PAGE} objects a page`);
  }

  /** What came of the page is given up: it is read once more. */
  restartPage(): void {
    this.#objects = this.#before.objects;
    this.#text = this.#before.text;
    this.#enter();
  }

  /**
   * `objects` more, with so many characters.
   * @throws ApiError
   */
  add(objects: number, text: number): void {
    this.#objects += objects;
    this.#text += text;
    const { maxObjects, maxTextSize } = this.#bounds;
    if (this.#objects > maxObjects) throw tooLarge(this.#endpoint, `more than ${maxObjects} (limits.max_objects)`);
    if (this.#text > maxTextSize) {
      throw tooLarge(this.#endpoint, `more than ${maxTextSize} characters of text (limits.max_text_size)`);
    }
    if (this.#objects - this.#entered.objects >= BATCH || this.#text - this.#entered.text >= BATCH * 1024) {
      this.#enter();
    }
  }

  close(): void {
    this.#objects = 0;
    this.#text = 0;
    this.#enter();
  }

  #enter(): void {
    const change = { objects: this.#objects - this.#entered.objects, text: this.#text - this.#entered.text };
    this.#entered = { objects: this.#objects, text: this.#text };
    this.#onChange(change);
  }
}

function tooLarge(endpoint: string, what: string): ApiError {
  return new ApiError("API_LIST_TOO_LARGE", `${endpoint}: ${what}`, { endpoint });
}
