import type { Registry } from "prom-client";
import type { Clock } from "../lib/clock.ts";
import { TimeSlices } from "../lib/yielding.ts";
import type { Store } from "../store/store.ts";
import { CompressedReaders } from "./compressed-readers.ts";
import { type DeflatedPart, deflatePart, gzipBeginning, gzipEnd } from "./deflated.ts";
import { withDots } from "./dots.ts";
import { type BodyFormat, formatEnd } from "./format.ts";
import { KEPT_READY, KeptForms } from "./kept-forms.ts";
import type { ContentEncoding, NegotiatedFormat } from "./negotiate.ts";
import { OneAtATime } from "./one-at-a-time.ts";
import { cutToLimits, type PageCut, type PageLimits, UNLIMITED } from "./page-limit.ts";
import { PageViews } from "./page-views.ts";
import { hasOwnMetrics, isSamePart, WHOLE } from "./part.ts";
import {
  type Content,
  compressedContent,
  FIRST_FORM,
  type FormKey,
  NO_CONTENT,
  OUTDATED,
  plainContent,
} from "./ready-form.ts";
import { Reclaimer } from "./reclaimer.ts";
import { SelfPages } from "./self-page.ts";
import { type TreePage, TreePages } from "./tree-pages.ts";

/** How often expired values are looked for, and what the process needs measured, milliseconds. */
const INTERVAL = 1_000;

/** Pages that are to be put together for those who ask for a form that is not ready. */
const MAX_WAITING = 32;

/**
 * What parts kept ready may take, and old pages for those who read them slowly: so many times the page, uncompressed, and
 * this number of bytes, so that small pages have no narrow bounds.
 */
const PARTS_TO_PAGE = 1;
const HELD_TO_PAGE = 2;
const SPARE_BYTES = 32 * 1_024 * 1_024;

export interface ExpositionObserver {
  /**
   * A form of the page was made ready. `seconds` is the time it took; `bytes` is the size of the largest page or part
   * that is kept ready in this format and encoding, and `plainBytes` that before compression, both without the
   * exporter's own metrics.
   */
  rendered(format: BodyFormat, encoding: ContentEncoding, seconds: number, bytes: number, plainBytes: number): void;
  /** Series, by family, that a page which may have changed lacks because it would exceed its limits. */
  readonly dropped?: (series: ReadonlyMap<string, number>) => void;
}

export interface ExpositionOptions {
  readonly store: Store;
  /** The exporter's own metrics. */
  readonly registry: Registry;
  readonly clock: Clock;
  readonly observer: ExpositionObserver;
  readonly limits?: PageLimits;
}

/** The body of a page. */
export interface PageInTwo {
  /** What is ready; where names are escaped anew, it is made as it is read. */
  readonly beginning: Iterable<Buffer> | AsyncIterable<Buffer>;
  /** To be asked for when the beginning has been read. */
  readonly end: () => Promise<readonly Buffer[]>;
}

/** Who is sent a page. */
export interface PageReader {
  /** Settles when the reader looks at no line of the page any more, or as nearly as that is known. */
  readonly used: Promise<unknown>;
  /** Whether `used` is to be relied upon to the last byte. */
  readonly isExact: boolean;
  /** The reader has gone. */
  readonly gone: AbortSignal;
  /** Ends it: too many old pages are held by slow readers. */
  readonly cut: () => void;
}

/** More pages than can be put together soon are asked for. */
export class TooManyPages extends Error {}

const NOTHING_DROPPED: ReadonlyMap<string, number> = new Map();

interface CurrentPage {
  readonly page: TreePage;
  /** Undefined where it keeps within its limits. */
  readonly cut: PageCut | undefined;
}

/**
 * The metrics page, kept ready: a scrape takes the last finished page and puts the exporter's own metrics behind it.
 * A commit to the store starts the next rendering; scrapes meanwhile get the page before.
 */
export class Exposition {
  readonly #options: ExpositionOptions;
  readonly #pages: TreePages;
  readonly #selfPages: SelfPages;
  readonly #reclaimer = new Reclaimer(() => this.#bytesFor(HELD_TO_PAGE));
  readonly #compressedReaders = new CompressedReaders(() => this.#bytesFor(HELD_TO_PAGE));
  readonly #forms = new KeptForms();
  /** Two pages put together at a time would take twice the memory, and what one does with the lines is seen by the other. */
  readonly #work = new OneAtATime();
  /** Lines that were copied for parts, until they are given back. */
  #ownLines = new Set<Buffer>();
  readonly #plain: PageViews<Buffer>;
  readonly #compressed: PageViews<DeflatedPart>;
  readonly #stopping = new AbortController();
  #limits: PageLimits;
  #current: CurrentPage | undefined;
  /** Of the page rendered last, uncompressed. */
  #pageBytes = 0;
  #refreshing: Promise<void> | undefined;
  #refreshAgain = false;

  constructor(options: ExpositionOptions) {
    const { store, registry, clock, limits = UNLIMITED } = options;
    this.#options = options;
    this.#selfPages = new SelfPages(registry, clock);
    this.#limits = limits;
    this.#pages = new TreePages(store, this.#reclaimer);
    this.#plain = new PageViews(
      (bytes) => Promise.resolve(bytes),
      (lines) => {
        this.#reclaimer.adopt(lines);
        this.#ownLines.add(lines);
      },
    );
    this.#compressed = new PageViews(deflatePart);
  }

  /** Follows the store until `stop`, with the form that Prometheus asks for ready before it asks. */
  start(): void {
    const now = this.#options.clock.monotonic();
    this.#forms.set({ key: FIRST_FORM, version: OUTDATED, firstAskedAt: now, askedAt: now, content: NO_CONTENT });
    void this.refresh();
    const unsubscribe = this.#options.store.onCommit(() => void this.refresh());
    this.#stopping.signal.addEventListener("abort", unsubscribe, { once: true });
    void this.#lookRegularly(this.#stopping.signal);
  }

  stop(): void {
    this.#stopping.abort();
  }

  /** Other limits, from now on. */
  limit(limits: PageLimits): void {
    if (limits.maxSeries === this.#limits.maxSeries && limits.maxBytes === this.#limits.maxBytes) return;
    this.#limits = limits;
    this.#forget();
    // What is being put together now may still have those before.
    void this.#work.run(async () => this.#forget());
    void this.refresh();
  }

  #forget(): void {
    this.#current = undefined;
    for (const form of this.#forms.values()) form.version = OUTDATED;
  }

  /**
   * The page, or a part of it, as the buffers of its body. They are good until `used` settles, because their memory is
   * used again as soon as the page has changed; without `used`, for good.
   * @throws TooManyPages
   */
  async page(
    format: NegotiatedFormat,
    encoding: ContentEncoding,
    part = WHOLE,
    used?: Promise<unknown>,
  ): Promise<readonly Buffer[]> {
    const reader = used && { used, isExact: true, gone: new AbortController().signal, cut: () => undefined };
    const { beginning, end } = await this.pageInTwo(format, encoding, part, reader);
    const buffers: Buffer[] = [];
    for await (const buffer of beginning) buffers.push(buffer);
    return [...buffers, ...(await end())];
  }

  /**
   * As `page`, with what is ready first: the exporter's own metrics can be put together while that is sent.
   * @throws TooManyPages, and the reason of the reader's signal
   */
  async pageInTwo(
    format: NegotiatedFormat,
    encoding: ContentEncoding,
    part = WHOLE,
    reader?: PageReader,
  ): Promise<PageInTwo> {
    if (format.escaping === "dots") {
      const plain = await this.pageInTwo({ ...format, escaping: "none" }, "identity", part, reader);
      return withDots(plain, encoding);
    }
    const content = await this.#content({ format: format.body, encoding, part }, reader);
    const text = async () =>
      Buffer.from(hasOwnMetrics(part) ? await this.#selfPages.page(format.body) : formatEnd(format.body));
    const { deflated } = content;
    if (deflated === undefined) return { beginning: content.buffers, end: async () => [await text()] };
    return { beginning: gzipBeginning(deflated), end: async () => gzipEnd(deflated, await text()) };
  }

  /** Brings all forms in use up to date with the store; calls during a refresh share the one after it. */
  refresh(): Promise<void> {
    if (this.#refreshing !== undefined) {
      this.#refreshAgain = true;
      return this.#refreshing;
    }
    this.#refreshing = this.#refreshUntilSettled().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  async #refreshUntilSettled(): Promise<void> {
    do {
      this.#refreshAgain = false;
      await this.#work.run(() => this.#refreshOnce());
    } while (this.#refreshAgain);
  }

  async #refreshOnce(): Promise<void> {
    this.#trim();
    if (this.#forms.size === 0) return;
    let leave: (() => void) | undefined;
    let replaced: readonly Buffer[] = [];
    try {
      const current = await this.#render(() => {
        leave = this.#reclaimer.enter();
        replaced = this.#pages.takeReplaced();
      });
      const outdated = [...this.#forms.values()].filter(({ version }) => version !== current.page.version);
      for (const form of outdated) {
        form.content = await this.#assemble(form.key, current);
        form.version = current.page.version;
      }
      // No form shows them any more.
      this.#reclaimer.retire(replaced);
    } finally {
      leave?.();
      await this.#giveBack();
    }
  }

  /** What the reader is to be sent, made if it is not ready. */
  #content(key: FormKey, reader: PageReader | undefined): Promise<Content> {
    const ready = this.#readyContent(key, reader);
    if (ready !== undefined) return Promise.resolve(ready);
    if (this.#work.size > MAX_WAITING) return Promise.reject(new TooManyPages());
    return this.#work.run(async () => this.#readyContent(key, reader) ?? this.#make(key, reader));
  }

  #readyContent(key: FormKey, reader: PageReader | undefined): Content | undefined {
    const form = this.#forms.get(key);
    // One that shows an older page than any is made anew: a refresh may go on for as long as polls follow each other.
    if (form === undefined || form.version === OUTDATED) return undefined;
    form.askedAt = this.#options.clock.monotonic();
    this.#enter(form.content, reader);
    return form.content;
  }

  async #make(key: FormKey, reader: PageReader | undefined): Promise<Content> {
    reader?.gone.throwIfAborted();
    const now = this.#options.clock.monotonic();
    try {
      const current = await this.#render();
      const content = await this.#assemble(key, current, reader?.gone);
      const { firstAskedAt } = this.#forms.get(key) ?? { firstAskedAt: now };
      this.#forms.set({ key, version: current.page.version, firstAskedAt, askedAt: now, content });
      this.#enter(content, reader);
      return content;
    } finally {
      this.#trim();
      await this.#giveBack();
    }
  }

  /** From now on the reader may look at the lines, which are not given back meanwhile. */
  #enter(content: Content, reader: PageReader | undefined): void {
    if (content.deflated !== undefined) {
      // What is compressed is not made of lines any more.
      if (reader === undefined) return;
      const leave = this.#compressedReaders.enter(content, reader.cut);
      void reader.used.finally(leave);
      return;
    }
    if (reader?.isExact !== true) this.#reclaimer.keep();
    if (reader === undefined) return;
    const leave = this.#reclaimer.enter(reader.cut);
    void reader.used.finally(leave);
  }

  /** The page as it is now, and where it has to be cut. `look` is called before anybody can replace it. */
  async #render(look: () => void = () => undefined): Promise<CurrentPage> {
    const { clock, observer } = this.#options;
    const limits = this.#limits;
    const page = await this.#pages.refresh(
      () => this.#forms.values().some(({ key }) => key.encoding === "identity"),
      (rendered) => {
        look();
        return rendered;
      },
    );
    if (this.#current?.page.version === page.version) return this.#current;
    const cut = await cutToLimits(page, limits, new TimeSlices(clock));
    const current = { page, cut };
    this.#pageBytes = bytesOf(page);
    this.#current = current;
    observer.dropped?.(cut?.dropped ?? NOTHING_DROPPED);
    return current;
  }

  async #assemble(key: FormKey, { page, cut }: CurrentPage, gone?: AbortSignal): Promise<Content> {
    const { clock, observer } = this.#options;
    const { format, encoding, part } = key;
    const started = clock.monotonic();
    const content =
      encoding === "gzip"
        ? compressedContent(await this.#compressed.of(part, cut).assemble(page, format, gone))
        : plainContent(await this.#plain.of(part, cut).assemble(page, format, gone), part);
    const seconds = (clock.monotonic() - started) / 1_000;
    const largest = this.#otherParts(key).reduce((one, other) => (other.bytes > one.bytes ? other : one), content);
    observer.rendered(format, encoding, seconds, largest.bytes, largest.plainBytes);
    return content;
  }

  #otherParts({ format, encoding, part }: FormKey): Content[] {
    return [...this.#forms.values()]
      .filter(({ key }) => key.format === format && key.encoding === encoding && !isSamePart(key.part, part))
      .map(({ content }) => content);
  }

  #trim(): void {
    this.#forms.trim(this.#options.clock.monotonic(), this.#bytesFor(PARTS_TO_PAGE));
    this.#plain.retain((part) => this.#forms.has({ encoding: "identity", part }));
    this.#compressed.retain((part) => this.#forms.has({ encoding: "gzip", part }));
  }

  /** Copied lines of which no form is made any more. */
  async #giveBack(): Promise<void> {
    const kept = new Set<Buffer | undefined>();
    for (const made of this.#plain.made()) kept.add(await made);
    for (const { content } of this.#forms.values()) for (const buffer of content.buffers) kept.add(buffer);
    const unused = this.#ownLines.difference(kept);
    this.#ownLines = this.#ownLines.intersection(kept);
    if (unused.size > 0) this.#reclaimer.retire([...unused]);
  }

  #bytesFor(pages: number): number {
    return pages * this.#pageBytes + SPARE_BYTES;
  }

  /** In which the exporter's own metrics are asked for. */
  #formatsInUse(): Set<BodyFormat> {
    const since = this.#options.clock.monotonic() - KEPT_READY;
    const inUse = [...this.#forms.values()].filter(({ key, askedAt }) => askedAt >= since && hasOwnMetrics(key.part));
    return new Set(inUse.map(({ key }) => key.format));
  }

  async #lookRegularly(signal: AbortSignal): Promise<void> {
    const { store, clock } = this.#options;
    while (!signal.aborted) {
      await clock.sleep(INTERVAL, signal).catch(() => undefined);
      if (signal.aborted) return;
      await this.#selfPages.measureProcess(this.#formatsInUse());
      if (store.expiresBy(clock.monotonic())) await store.commit(() => store.expire(clock.monotonic()));
    }
  }
}

function bytesOf({ families }: TreePage): number {
  let bytes = 0;
  for (const { blocks } of families) for (const { piece } of blocks) bytes += piece.bytes.length;
  return bytes;
}
