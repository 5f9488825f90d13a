import { isSamePart, isWhole, MAX_PARTS } from "./part.ts";
import { type FormKey, nameOf, type ReadyForm } from "./ready-form.ts";

/** A form of the page that was not asked for in this time is no longer kept ready, milliseconds. */
export const KEPT_READY = 600_000;

/**
 * Parts kept ready at most, in each encoding: all of one page. Of one part less each would be the one that went when it is
 * asked for again, as scrapers ask for them in turn.
 */
const MAX_PARTS_KEPT = MAX_PARTS;

/**
 * A scraper comes back after this time and within that, milliseconds. Its parts go last, so that a client that tries one
 * part after the other does not take them from it.
 */
const REGULAR_AFTER = 5_000;
const REGULAR_WITHIN = 150_000;

/** The forms of a part in one encoding: they share what was made, whatever their format. */
interface KeptPart {
  readonly forms: readonly ReadyForm[];
  readonly isRegular: boolean;
  readonly askedAt: number;
  /** Before compression. */
  readonly bytes: number;
}

/** The forms of the page that are kept ready. The whole page always may be; its parts have a bound. */
export class KeptForms {
  readonly #forms = new Map<string, ReadyForm>();

  get size(): number {
    return this.#forms.size;
  }

  get(key: FormKey): ReadyForm | undefined {
    return this.#forms.get(nameOf(key));
  }

  set(form: ReadyForm): void {
    this.#forms.set(nameOf(form.key), form);
  }

  values(): IteratorObject<ReadyForm, undefined> {
    return this.#forms.values();
  }

  /**
   * Forgets what was not asked for lately, and parts beyond `maxBytes` in each encoding, counted before compression, as
   * each byte kept costs work at each change too.
   */
  trim(now: number, maxBytes: number): void {
    for (const [name, { askedAt }] of this.#forms) if (now - askedAt > KEPT_READY) this.#forms.delete(name);
    for (const encoding of ["identity", "gzip"] as const) {
      const forms = this.values().filter(({ key }) => key.encoding === encoding && !isWhole(key.part));
      const byPart = Map.groupBy(forms, ({ key: { part } }) => `${part.index}/${part.count}`);
      const parts = [...byPart.values()].map((each) => keptPart(each, now)).sort(byWorth);
      let bytes = 0;
      for (const [index, part] of parts.entries()) {
        bytes += part.bytes;
        if (index < MAX_PARTS_KEPT && bytes <= maxBytes) continue;
        for (const { key } of part.forms) this.#forms.delete(nameOf(key));
      }
    }
  }

  /** Whether a part, or the page, is kept in this encoding. */
  has({ encoding, part }: Pick<FormKey, "encoding" | "part">): boolean {
    return this.values().some(({ key }) => key.encoding === encoding && isSamePart(key.part, part));
  }
}

function keptPart(forms: readonly ReadyForm[], now: number): KeptPart {
  return {
    forms,
    isRegular: forms.some(
      ({ firstAskedAt, askedAt }) => askedAt - firstAskedAt >= REGULAR_AFTER && now - askedAt <= REGULAR_WITHIN,
    ),
    askedAt: Math.max(...forms.map(({ askedAt }) => askedAt)),
    bytes: Math.max(...forms.map(({ content }) => content.plainBytes)),
  };
}

function byWorth(a: KeptPart, b: KeptPart): number {
  return Number(b.isRegular) - Number(a.isRegular) || b.askedAt - a.askedAt;
}
