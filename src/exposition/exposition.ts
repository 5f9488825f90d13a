import type { Registry } from "prom-client";
import type { Clock } from "../clock.ts";
import { nextTurn } from "../next-turn.ts";
import { Slices } from "../slices.ts";
import type { Store } from "../store/store.ts";
import { mergeSmall, totalLength } from "./buffers.ts";
import { type DeflatedPart, deflatePart, gzipBeginning, gzipEnd, joinDeflated } from "./deflated.ts";
import { escapeNamesWithDots } from "./dots.ts";
import { type BodyFormat, formatEnd } from "./format.ts";
import type { ContentEncoding, NegotiatedFormat } from "./negotiate.ts";
import { cutToLimits, type PageCut, type PageLimits, UNLIMITED } from "./page-limit.ts";
import { PageViews } from "./page-views.ts";
import { hasOwnMetrics, isSamePart, type Part, WHOLE } from "./part.ts";
import { Reclaimer } from "./reclaimer.ts";
import { SelfPages } from "./self-page.ts";
import { type TreePage, TreePages } from "./tree-pages.ts";

/** How often expired values are looked for, and what the process needs measured, milliseconds. */
const INTERVAL = 1_000;

/** A form of the page that nobody asked for in this time is no longer kept ready, milliseconds. */
const KEPT_READY = 600_000;

/** Forms kept ready at most: those for many scrapers of parts, but not all that somebody may try. */
const MOST_FORMS = 128;

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
  readonly beginning: readonly Buffer[];
  readonly end: () => Promise<readonly Buffer[]>;
}

/** Which page is asked for. */
interface FormKey {
  readonly format: BodyFormat;
  readonly encoding: ContentEncoding;
  readonly part: Part;
}

/** One way in which the page is kept ready: bytes as they go over the wire, without the end. */
interface Content {
  readonly buffers: readonly Buffer[];
  /** The same compressed; `buffers` are its own then. */
  readonly deflated: DeflatedPart | undefined;
  readonly bytes: number;
  readonly plainBytes: number;
}

interface ReadyForm {
  readonly key: FormKey;
  /** Version of the store that `content` shows; negative before the first. */
  version: number;
  /** Monotonic. */
  askedAt: number;
  content: Content;
}

/** What Prometheus asks for unless told otherwise. */
const FIRST_FORM: FormKey = { format: "openmetrics", encoding: "gzip", part: WHOLE };
const NO_CONTENT: Content = { buffers: [], deflated: undefined, bytes: 0, plainBytes: 0 };
/** Version of a form that shows an older page than any. */
const OUTDATED = -1;
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
  readonly #reclaimer = new Reclaimer();
  readonly #forms = new Map<string, ReadyForm>();
  readonly #plain: PageViews<Buffer>;
  readonly #compressed: PageViews<DeflatedPart>;
  readonly #stopping = new AbortController();
  #limits: PageLimits;
  #current: CurrentPage | undefined;
  #refreshing: Promise<void> | undefined;
  #refreshAgain = false;

  constructor(options: ExpositionOptions) {
    const { store, registry, clock, limits = UNLIMITED } = options;
    this.#options = options;
    this.#selfPages = new SelfPages(registry, clock);
    this.#limits = limits;
    this.#pages = new TreePages(store, this.#reclaimer);
    this.#plain = new PageViews((bytes) => Promise.resolve(bytes));
    this.#compressed = new PageViews(deflatePart);
  }

  /** Follows the store until `stop`, with the form that Prometheus asks for ready before it asks. */
  start(): void {
    const askedAt = this.#options.clock.monotonic();
    this.#forms.set(nameOf(FIRST_FORM), { key: FIRST_FORM, version: OUTDATED, askedAt, content: NO_CONTENT });
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
    this.#current = undefined;
    for (const form of this.#forms.values()) form.version = OUTDATED;
    void this.refresh();
  }

  /**
   * The page, or a part of it, as the buffers of its body. They are good until `used` settles, because their memory is
   * used again as soon as the page has changed; without `used`, for good.
   */
  async page(
    format: NegotiatedFormat,
    encoding: ContentEncoding,
    part = WHOLE,
    used?: Promise<unknown>,
  ): Promise<readonly Buffer[]> {
    const { beginning, end } = await this.pageInTwo(format, encoding, part, used);
    return [...beginning, ...(await end())];
  }

  /** As `page`, with what is ready first: the exporter's own metrics can be put together while that is sent. */
  async pageInTwo(
    format: NegotiatedFormat,
    encoding: ContentEncoding,
    part = WHOLE,
    used?: Promise<unknown>,
  ): Promise<PageInTwo> {
    const leave = this.#reclaimer.enter();
    try {
      return await this.#page(format, encoding, part);
    } finally {
      // What is compressed is not made of lines any more.
      if (encoding === "gzip") leave();
      else if (used === undefined) {
        this.#reclaimer.keep();
        leave();
      } else void used.finally(leave);
    }
  }

  async #page(format: NegotiatedFormat, encoding: ContentEncoding, part: Part): Promise<PageInTwo> {
    if (format.escaping === "dots") return this.#pageWithDots(format, encoding, part);
    const { content } = await this.#form({ format: format.body, encoding, part });
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
      await this.#refreshOnce();
    } while (this.#refreshAgain);
  }

  async #refreshOnce(): Promise<void> {
    this.#forgetUnused();
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
    }
  }

  async #form(key: FormKey): Promise<ReadyForm> {
    const askedAt = this.#options.clock.monotonic();
    const known = this.#forms.get(nameOf(key));
    // One that shows an older page than any is made anew: a refresh may go on for as long as polls follow each other.
    if (known !== undefined && known.version !== OUTDATED) {
      known.askedAt = askedAt;
      return known;
    }
    const current = await this.#render();
    const content = await this.#assemble(key, current);
    // Lines of a page that was replaced meanwhile are for this reader only.
    const isCurrent = this.#pages.isCurrent(current.page);
    const form = { key, version: isCurrent ? current.page.version : OUTDATED, askedAt, content };
    this.#forms.set(nameOf(key), form);
    return form;
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
    const cut = await cutToLimits(page, limits, new Slices(clock));
    const current = { page, cut };
    this.#current = current;
    observer.dropped?.(cut?.dropped ?? NOTHING_DROPPED);
    return current;
  }

  async #assemble(key: FormKey, { page, cut }: CurrentPage): Promise<Content> {
    const { clock, observer } = this.#options;
    const { format, encoding, part } = key;
    const started = clock.monotonic();
    const content =
      encoding === "gzip"
        ? compressedContent(await this.#compressed.of(part, cut).assemble(page, format))
        : plainContent(await this.#plain.of(part, cut).assemble(page, format));
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

  #forgetUnused(): void {
    const now = this.#options.clock.monotonic();
    const byAge = [...this.#forms].sort(([, a], [, b]) => b.askedAt - a.askedAt);
    for (const [index, [name, { askedAt }]] of byAge.entries()) {
      if (index >= MOST_FORMS || now - askedAt > KEPT_READY) this.#forms.delete(name);
    }
    const used = (wanted: ContentEncoding) => (part: Part) =>
      this.#forms.values().some(({ key }) => key.encoding === wanted && isSamePart(key.part, part));
    this.#plain.retain(used("identity"));
    this.#compressed.retain(used("gzip"));
  }

  /** In which the exporter's own metrics are asked for. */
  #formatsInUse(): Set<BodyFormat> {
    const since = this.#options.clock.monotonic() - KEPT_READY;
    const inUse = [...this.#forms.values()].filter(({ key, askedAt }) => askedAt >= since && hasOwnMetrics(key.part));
    return new Set(inUse.map(({ key }) => key.format));
  }

  /** Piece by piece, as the page may be large. Pieces end with a line. */
  async #pageWithDots(format: NegotiatedFormat, encoding: ContentEncoding, part: Part): Promise<PageInTwo> {
    const body: Buffer[] = [];
    const { beginning, end } = await this.#page({ ...format, escaping: "none" }, "identity", part);
    for (const piece of [...beginning, ...(await end())]) {
      body.push(Buffer.from(escapeNamesWithDots(piece.toString())));
      await nextTurn();
    }
    if (encoding === "identity") return { beginning: body, end: async () => [] };
    const compressed: DeflatedPart[] = [];
    for (const piece of body) compressed.push(await deflatePart(piece));
    const deflated = joinDeflated(compressed);
    return { beginning: gzipBeginning(deflated), end: async () => gzipEnd(deflated, Buffer.alloc(0)) };
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

function nameOf({ format, encoding, part }: FormKey): string {
  return `${format} ${encoding} ${part.index}/${part.count}`;
}

function plainContent(buffers: readonly Buffer[]): Content {
  const bytes = totalLength(buffers);
  return { buffers: mergeSmall(buffers), deflated: undefined, bytes, plainBytes: bytes };
}

function compressedContent(parts: readonly DeflatedPart[]): Content {
  const joined = joinDeflated(parts);
  const deflated = { ...joined, buffers: mergeSmall(joined.buffers) };
  const { buffers, length } = deflated;
  return { buffers, deflated, bytes: totalLength(buffers), plainBytes: length };
}
