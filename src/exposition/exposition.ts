import pLimit from "p-limit";
import type { Registry } from "prom-client";
import { mergeSmall } from "../lib/buffers.ts";
import type { Clock } from "../lib/clock.ts";
import { mapEntry } from "../lib/map-entry.ts";
import type { Store } from "../store/store.ts";
import { renderExporterMetrics } from "./exporter-metrics.ts";
import { gzipBeginning, gzipEnd } from "./gzip.ts";
import { withDots } from "./name-escaping.ts";
import type { ContentEncoding, NegotiatedFormat } from "./negotiate.ts";
import { PageEncoder } from "./page-encoder.ts";
import { type CurrentPage, type PageLimits, PageSource, UNLIMITED } from "./page-source.ts";
import { intact, type PageReader } from "./reader-memory.ts";
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

/** Bounds for cached shards and for old pages of slow readers: multiples of the uncompressed page, plus 32 MB. */
const SHARDS_TO_PAGE = 1;
const HELD_TO_PAGE = 2;
const SPARE_BYTES = 32 * 1_024 * 1_024;

export interface ExpositionObserver {
  /**
   * `bytes` and `uncompressedBytes`: of the largest page or shard in this format and encoding, without the exporter's
   * own metrics.
   */
  rendered(
    format: ExpositionFormat,
    encoding: ContentEncoding,
    seconds: number,
    bytes: number,
    uncompressedBytes: number,
  ): void;
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
  /** Two encodings at a time would take twice the memory and could free each other's lines. */
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
    this.#encoder = new PageEncoder(() => this.#bytesFor(HELD_TO_PAGE), store.lane);
    this.#source = new PageSource(store, this.#encoder.lines, clock, limits, (series) => observer.dropped?.(series));
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

  /**
   * The body of the page or shard. `used` settles when the caller has finished with the buffers: their memory is
   * reused afterwards. @throws TooManyPages
   */
  async page(
    format: NegotiatedFormat,
    encoding: ContentEncoding,
    shard = WHOLE_PAGE,
    used?: Promise<unknown>,
  ): Promise<readonly Buffer[]> {
    const reader = used && { used, isExact: true, gone: new AbortController().signal, cut: () => undefined };
    const { beginning, end } = await this.streamedPage(format, encoding, shard, reader);
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
    const content = await this.#content({ format: format.body, encoding, shard }, reader);
    const end = () => this.#renderEnd(format.body, shard);
    const { buffers, compressed } = content;
    if (compressed === undefined) return { beginning: intact(buffers), end: async () => mergeSmall(await end()) };
    return { beginning: gzipBeginning(compressed), end: async () => gzipEnd(compressed, await end()) };
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
    const { lines } = this.#encoder;
    this.#pacer.begin();
    let leave: (() => void) | undefined;
    let replaced: readonly Buffer[] = [];
    try {
      const current = await this.#currentPage(() => {
        leave = lines.enter();
        replaced = this.#source.takeReplaced();
      });
      const outdated = kept.filter(({ version }) => version !== current.page.version);
      for (const representation of outdated) {
        representation.content = await this.#encode(representation.key, current);
        representation.version = current.page.version;
      }
      lines.retire(replaced);
    } finally {
      leave?.();
      this.#freeUnused();
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
    // Its lines may have been freed.
    if (!isKeptReady(key) && ready.version !== this.#options.store.version) return undefined;
    ready.lastRequestedAt = this.#options.clock.monotonic();
    this.#encoder.enter(ready.content, reader);
    return ready.content;
  }

  async #make(key: RepresentationKey, reader: PageReader | undefined): Promise<Content> {
    reader?.gone.throwIfAborted();
    const now = this.#options.clock.monotonic();
    try {
      const current = await this.#currentPage();
      const content = await this.#encode(key, current, reader?.gone);
      const { firstRequestedAt } = this.#cache.get(key) ?? { firstRequestedAt: now };
      this.#cache.set({ key, version: current.page.version, firstRequestedAt, lastRequestedAt: now, content });
      this.#encoder.enter(content, reader);
      return content;
    } finally {
      this.#trim();
      this.#freeUnused();
    }
  }

  #currentPage(onRendered?: () => void): Promise<CurrentPage> {
    const keepsLines = () => this.#cache.values().some(({ key }) => key.encoding === "identity");
    return this.#source.current(keepsLines, onRendered);
  }

  async #encode(key: RepresentationKey, current: CurrentPage, signal?: AbortSignal): Promise<Content> {
    const { clock, observer } = this.#options;
    const started = clock.monotonic();
    const content = await this.#encoder.encode(key, current, signal);
    const seconds = (clock.monotonic() - started) / 1_000;
    const largest = this.#otherShards(key).reduce((one, other) => (other.bytes > one.bytes ? other : one), content);
    observer.rendered(key.format, key.encoding, seconds, largest.bytes, largest.uncompressedBytes);
    return content;
  }

  #otherShards({ format, encoding, shard }: RepresentationKey): Content[] {
    return [...this.#cache.values()]
      .filter(({ key }) => key.format === format && key.encoding === encoding && !isSameShard(key.shard, shard))
      .map(({ content }) => content);
  }

  #trim(): void {
    this.#cache.trim(this.#options.clock.monotonic(), this.#bytesFor(SHARDS_TO_PAGE));
    this.#encoder.retain((encoding) => this.#cache.shardNames(encoding));
  }

  #freeUnused(): void {
    this.#encoder.freeUnused(this.#cache.values().map(({ content }) => content));
  }

  #bytesFor(pages: number): number {
    return pages * this.#source.bytes + SPARE_BYTES;
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
