import type { Page, Sample } from "./page-parser.ts";

export class PageView {
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  samples(family: string, labels: Readonly<Record<string, string>> = {}): readonly Sample[] {
    const pairs = Object.entries(labels);
    const found = this.#page.get(family)?.samples ?? this.#page.get(family.replace(/_total$/, ""))?.samples ?? [];
    return found.filter((sample) => pairs.every(([name, value]) => sample.labels.get(name) === value));
  }

  value(family: string, labels: Readonly<Record<string, string>> = {}): number | undefined {
    return this.samples(family, labels)[0]?.value;
  }

  labelsOf(family: string, label: string, labels: Readonly<Record<string, string>> = {}): ReadonlySet<string> {
    return new Set(this.samples(family, labels).map((sample) => sample.labels.get(label) ?? ""));
  }

  byLabel(family: string, label: string, labels: Readonly<Record<string, string>> = {}): ReadonlyMap<string, number> {
    return new Map(this.samples(family, labels).map((sample) => [sample.labels.get(label) ?? "", sample.value]));
  }
}
