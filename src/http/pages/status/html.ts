/** Safe HTML. Only `html` creates it. */
export class Html {
  readonly #text: string;

  private constructor(text: string) {
    this.#text = text;
  }

  /** Escapes the values. `strings` are source code. */
  static fill(strings: TemplateStringsArray, values: readonly HtmlValue[]): Html {
    return new Html(String.raw({ raw: strings }, ...values.map(render)));
  }

  toString(): string {
    return this.#text;
  }
}

/** Escapes text and joins lists. `undefined` becomes empty. */
export type HtmlValue = Html | string | number | undefined | null | false | readonly HtmlValue[];

/** Escapes all values. Use values between tags or in quoted attributes only, never in scripts, styles or names. */
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

/** Control characters and lone surrogates become U+FFFD. */
export function escapeHtml(text: string): string {
  return text
    .toWellFormed()
    .replace(CONTROLS, "\uFFFD")
    .replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}

/** All but tab and line feed. */
const CONTROLS = /[^\P{Cc}\t\n]/gu;
