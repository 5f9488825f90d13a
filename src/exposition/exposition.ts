import type { Registry } from "prom-client";
import type { Clock } from "../clock.ts";
import type { Store } from "../store/store.ts";
import { type DeflatedPart, deflatePart, gzipMember } from "./deflated.ts";
import { escapeNamesWithDots } from "./dots.ts";
import type { BodyFormat } from "./format.ts";
import type { ContentEncoding, NegotiatedFormat } from "./negotiate.ts";
import { renderSelfPage } from "./self-page.ts";
import { TreePages } from "./tree-pages.ts";

/** How often expired values are looked for, milliseconds. */
const EXPIRY_INTERVAL = 1_000;

/** A form of the page that nobody asked for in this time is no longer kept ready, milliseconds. */
const KEPT_READY = 600_000;

/** What Prometheus asks for unless told otherwise. */
const FIRST_FORM = "openmetrics gzip";

export interface ExpositionObserver {
  /** A form of the page was made ready. `seconds` is the time it took, `bytes` its size without the exporter's own part. */
  rendered(format: BodyFormat, encoding: ContentEncoding, seconds: number, bytes: number): void;
}

export interface ExpositionOptions {
  readonly store: Store;
  /** The exporter's own metrics: rendered for each scrape. */
  readonly registry: Registry;
  readonly clock: Clock;
  readonly observer: ExpositionObserver;
}

/** One way in which the page is kept ready: bytes as they go over the wire. */
interface ReadyForm {
  version: number;
  askedAt: number;
  identity: readonly Buffer[];
  deflated: DeflatedPart | undefined;
}

/**
 * The metrics page, kept ready: a scrape takes the last finished page and puts the exporter's own metrics behind it.
 * A commit to the store starts the next rendering; scrapes meanwhile get the page before.
 */
export class Exposition {
  readonly #options: ExpositionOptions;
  readonly #pages: TreePages;
  readonly #forms = new Map<string, ReadyForm>();
  readonly #stopping = new AbortController();
  #refreshing: Promise<void> | undefined;
  #refreshAgain = false;

  constructor(options: ExpositionOptions) {
    this.#options = options;
    this.#pages = new TreePages(options.store);
  }

  /** Follows the store until `stop`, with the form that Prometheus asks for ready before it asks. */
  start(): void {
    const askedAt = this.#options.clock.monotonic();
    this.#forms.set(FIRST_FORM, { version: -1, askedAt, identity: [], deflated: undefined });
    void this.refresh();
    const unsubscribe = this.#options.store.onCommit(() => void this.refresh());
    this.#stopping.signal.addEventListener("abort", unsubscribe, { once: true });
    void this.#expireRegularly(this.#stopping.signal);
  }

  stop(): void {
    this.#stopping.abort();
  }

  /** The page as the buffers of its body. */
  async page(format: NegotiatedFormat, encoding: ContentEncoding): Promise<readonly Buffer[]> {
    if (format.escaping === "dots") return this.#pageWithDots(format, encoding);
    const form = await this.#form(format.body, encoding);
    const self = await renderSelfPage(this.#options.registry, format.body);
    return form.deflated === undefined ? [...form.identity, self] : gzipMember(form.deflated, self);
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
    const now = this.#options.clock.monotonic();
    for (const [key, form] of this.#forms) {
      if (now - form.askedAt > KEPT_READY) this.#forms.delete(key);
    }
    if (this.#forms.size === 0) return;
    await this.#pages.refresh();
    // All begin before the first one waits: a refresh for somebody else must not change the pages in between.
    const renderings = [...this.#forms]
      .filter(([, form]) => form.version !== this.#pages.version)
      .map(async ([key, form]) => Object.assign(form, await this.#render(key)));
    await Promise.all(renderings);
  }

  async #form(format: BodyFormat, encoding: ContentEncoding): Promise<ReadyForm> {
    const key = `${format} ${encoding}`;
    const askedAt = this.#options.clock.monotonic();
    const known = this.#forms.get(key);
    if (known !== undefined) {
      known.askedAt = askedAt;
      if (known.version < 0) await this.refresh();
      return known;
    }
    await this.#pages.refresh();
    const form = { askedAt, ...(await this.#render(key)) };
    this.#forms.set(key, form);
    return form;
  }

  async #render(key: string): Promise<Omit<ReadyForm, "askedAt">> {
    const [format, encoding] = key.split(" ") as [BodyFormat, ContentEncoding];
    const started = this.#options.clock.monotonic();
    const { version } = this.#pages;
    const identity = this.#pages.buffers(format);
    const deflated = encoding === "gzip" ? await deflatePart(identity) : undefined;
    const bytes = (deflated?.buffers ?? identity).reduce((sum, buffer) => sum + buffer.length, 0);
    const seconds = (this.#options.clock.monotonic() - started) / 1_000;
    this.#options.observer.rendered(format, encoding, seconds, bytes);
    return { version, identity: encoding === "gzip" ? [] : identity, deflated };
  }

  async #pageWithDots(format: NegotiatedFormat, encoding: ContentEncoding): Promise<readonly Buffer[]> {
    const page = await this.page({ ...format, escaping: "none" }, "identity");
    const body = Buffer.from(escapeNamesWithDots(Buffer.concat(page).toString()));
    return encoding === "gzip" ? gzipMember(await deflatePart([body]), Buffer.alloc(0)) : [body];
  }

  async #expireRegularly(signal: AbortSignal): Promise<void> {
    const { store, clock } = this.#options;
    while (!signal.aborted) {
      await clock.sleep(EXPIRY_INTERVAL, signal).catch(() => undefined);
      if (!signal.aborted && store.expiresBy(clock.monotonic())) {
        await store.commit(() => store.expire(clock.monotonic()));
      }
    }
  }
}
