/** Safe HTML. Only `html` makes it. */
export class Html {
  readonly #text: string;

  private constructor(text: string) {
    this.#text = text;
  }

  /** `strings` are source code; escapes the values. */
  static fill(strings: TemplateStringsArray, values: readonly HtmlValue[]): Html {
    return new Html(String.raw({ raw: strings }, ...values.map(render)));
  }

  toString(): string {
    return this.#text;
  }
}

/** Escapes text, joins lists; undefined leaves nothing. */
export type HtmlValue = Html | string | number | undefined | null | false | readonly HtmlValue[];

/**
 * Escapes all values: nothing from outside becomes markup. Values go between tags or into quoted attributes; never into
 * scripts, styles, or names of tags and attributes.
 */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return Html.fill(strings, values);
}

function render(value: HtmlValue): string {
  if (value instanceof Html) return value.toString();
  if (value === undefined || value === null || value === false) return "";
  if (typeof value === "object") return value.map(render).join("");
  return escapeHtml(String(value));
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** For between tags and in quoted attributes. Control characters and lone surrogates become U+FFFD. */
export function escapeHtml(text: string): string {
  return text
    .toWellFormed()
    .replace(CONTROLS, "\uFFFD")
    .replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}

/** Without tab and line feed. */
const CONTROLS = /[^\P{Cc}\t\n]/gu;
