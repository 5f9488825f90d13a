import pLimit from "p-limit";
import type { Registry } from "prom-client";
import type { Clock } from "../lib/clock.ts";
import { mapEntry } from "../lib/map-entry.ts";
import { yieldToEventLoop } from "../lib/yielding.ts";
import type { Store } from "../store/store.ts";
import { renderExporterMetrics } from "./exporter-metrics.ts";
import { GZIP_HEADER, gzipEnd, inflateChunk } from "./gzip.ts";
import { withDots } from "./name-escaping.ts";
import type { ContentEncoding, NegotiatedFormat } from "./negotiate.ts";
import { PageEncoder } from "./page-encoder.ts";
import { type PageReader, PageReaders } from "./page-readers.ts";
import { type CurrentPage, type PageLimits, PageSource, UNLIMITED } from "./page-source.ts";
import { RefreshPacer } from "./refresh-pacer.ts";
import {
  type Content,
  includesExporterMetrics,
  isSameShard,
  NO_CONTENT,
  OUTDATED,
  PROMETHEUS_DEFAULT,
  RepresentationCache,
  type RepresentationKey,
  type Shard,
  type StreamedPage,
  WHOLE_PAGE,
} from "./representation.ts";
import { type ExpositionFormat, formatEnd } from "./text-format.ts";

/** Milliseconds between checks for expired values. */
const INTERVAL = 1_000;

/** Requests for pages that are not ready. */
const MAX_WAITING = 32;
/** Pages of some servers are cheap, and hundreds of scrapers may request them at once. */
const MAX_WAITING_OF_SERVERS = 512;

/** Bounds for cached shards, and for old pages of slow readers: bytes before compression, in addition to one page. */
const SPARE_BYTES = 32 * 1_024 * 1_024;

export interface ExpositionObserver {
  /** `bytes`: of the largest page or shard in this format, without the exporter's own metrics. */
  rendered(format: ExpositionFormat, seconds: number, bytes: Readonly<Record<ContentEncoding, number>>): void;
  /** Series by family that the page limits exclude. */
  readonly dropped?: (series: ReadonlyMap<string, number>) => void;
}

export interface ExpositionOptions {
  readonly store: Store;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly observer: ExpositionObserver;
  readonly limits?: PageLimits;
}

/** Too many requests wait for a page. */
export class TooManyPages extends Error {}

/**
 * Keeps the metrics page ready in the requested representations. A scrape gets the last finished page plus the
 * exporter's own metrics. A commit starts the next rendering.
 */
export class Exposition {
  readonly #options: ExpositionOptions;
  readonly #source: PageSource;
  readonly #encoder: PageEncoder;
  readonly #cache = new RepresentationCache();
  readonly #readers = new PageReaders(() => this.#maxBytes);
  /** Two encodings at a time would do the same work. */
  readonly #work = pLimit(1);
  /** With hundreds of servers the exporter's own metrics take several megabytes. */
  readonly #renderingLimit = pLimit(1);
  /** All waiting readers of a format share one rendering. */
  readonly #pendingRenderings = new Map<ExpositionFormat, Promise<readonly Buffer[]>>();
  readonly #stopping = new AbortController();
  readonly #pacer: RefreshPacer;

  constructor(options: ExpositionOptions) {
    const { store, clock, observer, limits = UNLIMITED } = options;
    this.#options = options;
    this.#pacer = new RefreshPacer(clock, () => this.#work(() => this.#refreshOnce()));
    this.#encoder = new PageEncoder(store.lane);
    this.#source = new PageSource(store, clock, limits, (series) => observer.dropped?.(series));
  }

  /** Follows the store until `stop`. Keeps the default representation of Prometheus ready from the start. */
  start(): void {
    const now = this.#options.clock.monotonic();
    this.#cache.set({
      key: PROMETHEUS_DEFAULT,
      version: OUTDATED,
      firstRequestedAt: now,
      lastRequestedAt: now,
      content: NO_CONTENT,
    });
    void this.refresh();
    const unsubscribe = this.#options.store.onCommit(() => this.#pacer.refreshSoon(this.#stopping.signal));
    this.#stopping.signal.addEventListener("abort", unsubscribe, { once: true });
    void this.#expireRegularly(this.#stopping.signal);
  }

  stop(): void {
    this.#stopping.abort();
  }

  limit(limits: PageLimits): void {
    if (!this.#source.limit(limits)) return;
    this.#invalidate();
    // The encoding in progress may still use the old limits.
    void this.#work(async () => this.#invalidate());
    void this.refresh();
  }

  #invalidate(): void {
    this.#source.invalidate();
    for (const representation of this.#cache.values()) representation.version = OUTDATED;
  }

  /** The body of the page or shard. @throws TooManyPages */
  async page(format: NegotiatedFormat, encoding: ContentEncoding, shard = WHOLE_PAGE): Promise<readonly Buffer[]> {
    const { beginning, end } = await this.streamedPage(format, encoding, shard);
    const buffers: Buffer[] = [];
    for await (const buffer of beginning) buffers.push(buffer);
    return [...buffers, ...(await end())];
  }

  /**
   * Like `page`, but returns the ready part first, so that the server can send it while the rest is rendered. @throws
   * TooManyPages and the reason of the reader's signal
   */
  async streamedPage(
    format: NegotiatedFormat,
    encoding: ContentEncoding,
    shard = WHOLE_PAGE,
    reader?: PageReader,
  ): Promise<StreamedPage> {
    if (format.escaping === "dots") {
      const plain = await this.streamedPage({ ...format, escaping: "none" }, "identity", shard, reader);
      return withDots(plain, encoding);
    }
    const content = await this.#content({ format: format.body, shard }, reader);
    const end = () => this.#renderEnd(format.body, shard);
    if (encoding === "identity") return { beginning: inflated(content), end };
    const chunks = content.chunks.map(({ bytes }) => bytes);
    return { beginning: [GZIP_HEADER, ...chunks], end: async () => gzipEnd(content, await end(), content.bytes) };
  }

  async #renderEnd(format: ExpositionFormat, shard: Shard): Promise<readonly Buffer[]> {
    const end = Buffer.from(formatEnd(format));
    if (!includesExporterMetrics(shard)) return [end];
    const { registry, clock } = this.#options;
    const { servers } = shard;
    if (servers !== undefined) {
      return [...(await this.#renderingLimit(() => renderExporterMetrics(registry, format, clock, servers))), end];
    }
    const lines = mapEntry(this.#pendingRenderings, format, () =>
      this.#renderingLimit(() => {
        this.#pendingRenderings.delete(format);
        return renderExporterMetrics(registry, format, clock);
      }),
    );
    return [...(await lines), end];
  }

  /** Updates the representations that are kept ready. Calls during a refresh share the next one. */
  refresh(): Promise<void> {
    return this.#pacer.refresh();
  }

  /** Resolves when the ready representations include all commits so far. */
  upToDate(): Promise<void> {
    return this.#pacer.settled();
  }

  async #refreshOnce(): Promise<void> {
    this.#trim();
    const kept = [...this.#cache.values()].filter(({ key }) => isKeptReady(key));
    if (kept.length === 0) return;
    this.#pacer.begin();
    try {
      const current = await this.#source.current();
      const outdated = kept.filter(({ version }) => version !== current.page.version);
      const started = this.#options.clock.monotonic();
      await this.#encoder.prepare(
        outdated.map(({ key }) => key.shard),
        current,
      );
      for (const representation of outdated) {
        representation.content = this.#contentFor(representation.key, current, started);
        representation.version = current.page.version;
      }
    } finally {
      this.#pacer.end();
    }
  }

  #content(key: RepresentationKey, reader: PageReader | undefined): Promise<Content> {
    const ready = this.#readyContent(key, reader);
    if (ready !== undefined) return Promise.resolve(ready);
    const max = isKeptReady(key) ? MAX_WAITING : MAX_WAITING_OF_SERVERS;
    if (this.#work.activeCount + this.#work.pendingCount > max) return Promise.reject(new TooManyPages());
    // With hundreds of servers the reader would otherwise wait for every step of a refresh or commit.
    return this.#options.store.lane.readerWaitsFor(() =>
      this.#work(async () => this.#readyContent(key, reader) ?? this.#make(key, reader)),
    );
  }

  #readyContent(key: RepresentationKey, reader: PageReader | undefined): Content | undefined {
    const ready = this.#cache.get(key);
    // Encode an outdated page again: a refresh may take as long as polls follow each other.
    if (ready === undefined || ready.version === OUTDATED) return undefined;
    // No commit refreshes it.
    if (!isKeptReady(key) && ready.version !== this.#options.store.version) return undefined;
    ready.lastRequestedAt = this.#options.clock.monotonic();
    if (reader !== undefined) this.#readers.enter(ready.content, reader);
    return ready.content;
  }

  async #make(key: RepresentationKey, reader: PageReader | undefined): Promise<Content> {
    reader?.gone.throwIfAborted();
    const now = this.#options.clock.monotonic();
    try {
      const current = await this.#source.current();
      const started = this.#options.clock.monotonic();
      await this.#encoder.prepare([key.shard], current, reader?.gone);
      const content = this.#contentFor(key, current, started);
      const { firstRequestedAt } = this.#cache.get(key) ?? { firstRequestedAt: now };
      this.#cache.set({ key, version: current.page.version, firstRequestedAt, lastRequestedAt: now, content });
      if (reader !== undefined) this.#readers.enter(content, reader);
      return content;
    } finally {
      this.#trim();
    }
  }

  /** `started`: of the preparation, monotonic ms. */
  #contentFor(key: RepresentationKey, current: CurrentPage, started: number): Content {
    const { clock, observer } = this.#options;
    const content = this.#encoder.content(key, current);
    const largest = this.#otherShards(key).reduce((one, other) => (other.bytes > one.bytes ? other : one), content);
    const ms = current.renderedInMs + clock.monotonic() - started;
    observer.rendered(key.format, ms / 1_000, { gzip: largest.bytes, identity: largest.length });
    return content;
  }

  #otherShards({ format, shard }: RepresentationKey): Content[] {
    return [...this.#cache.values()]
      .filter(({ key }) => key.format === format && !isSameShard(key.shard, shard))
      .map(({ content }) => content);
  }

  #trim(): void {
    this.#cache.trim(this.#options.clock.monotonic(), this.#maxBytes);
    this.#encoder.retain(this.#cache.shards);
  }

  get #maxBytes(): number {
    return this.#source.bytes + SPARE_BYTES;
  }

  async #expireRegularly(signal: AbortSignal): Promise<void> {
    const { store, clock } = this.#options;
    while (!signal.aborted) {
      await clock.sleep(INTERVAL, signal).catch(() => undefined);
      if (signal.aborted) return;
      if (store.expiresBy(clock.monotonic())) await store.commit(() => store.expire(clock.monotonic()));
    }
  }
}

/** Pages of some servers are encoded on request: each change would outdate hundreds of them. */
function isKeptReady({ shard }: RepresentationKey): boolean {
  return shard.servers === undefined;
}

/** Block by block, so that a slow reader holds one block. */
async function* inflated({ chunks }: Content): AsyncIterable<Buffer> {
  for (const chunk of chunks) {
    yield inflateChunk(chunk);
    await yieldToEventLoop("reader");
  }
}
