import type { PageCut } from "./page-limit.ts";
import { PageView } from "./page-view.ts";
import { isInPart, isSamePart, type Part } from "./part.ts";

/** The page and its parts in one encoding, as long as somebody asks for them. */
export class PageViews<Made> {
  readonly #make: (bytes: Buffer) => Promise<Made>;
  readonly #owns: (lines: Buffer) => void;
  readonly #views = new Map<string, { readonly part: Part; readonly view: PageView<Made> }>();

  /** `owns` is told of lines that were copied for a part. */
  constructor(make: (bytes: Buffer) => Promise<Made>, owns: (lines: Buffer) => void = () => undefined) {
    this.#make = make;
    this.#owns = owns;
  }

  /** What is kept of all of them. */
  *made(): Iterable<Promise<Made | undefined>> {
    for (const { view } of this.#views.values()) yield* view.made;
  }

  /** `cut`: undefined where the page keeps within its limits. */
  of(part: Part, cut: PageCut | undefined): PageView<Made> {
    const highest = cut?.highest ?? Number.POSITIVE_INFINITY;
    const name = `${part.index}/${part.count} up to ${highest}`;
    const known = this.#views.get(name);
    if (known !== undefined) return known.view;
    const isWhole = part.count === 1 && cut === undefined;
    const takes = isWhole ? undefined : (owner: number) => owner <= highest && isInPart(part, owner);
    const view = new PageView(takes, this.#make, this.#owns);
    // A part is cut at one place at a time.
    this.retain((other) => !isSamePart(other, part));
    this.#views.set(name, { part, view });
    return view;
  }

  /** Forgets the parts that `keep` refuses. */
  retain(keep: (part: Part) => boolean): void {
    for (const [name, { part }] of this.#views) {
      if (!keep(part)) this.#views.delete(name);
    }
  }
}
