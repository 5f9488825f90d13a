/** HTML that is safe to put into a page as it is. Made by `html` alone. */
export class Html {
  readonly #text: string;

  private constructor(text: string) {
    this.#text = text;
  }

  /** Fills `strings`, which stand in the source code, with escaped values. */
  static fill(strings: TemplateStringsArray, values: readonly HtmlValue[]): Html {
    return new Html(String.raw({ raw: strings }, ...values.map(render)));
  }

  toString(): string {
    return this.#text;
  }
}

/** What may stand in a template: text is escaped, lists are joined, what is missing leaves nothing. */
export type HtmlValue = Html | string | number | undefined | null | false | readonly HtmlValue[];

/**
 * A template of HTML whose values are escaped: nothing that comes from outside can be markup. Values belong between tags,
 * or into attributes in double quotes; never into scripts, styles, or names of tags and attributes.
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

/**
 * Text as it can stand between tags and in quoted attributes. Control characters, which no page may hold, and lone
 * surrogates become U+FFFD.
 */
export function escapeHtml(text: string): string {
  return text
    .toWellFormed()
    .replace(CONTROLS, "\uFFFD")
    .replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}

/** All but tab and line feed, which are white space. */
const CONTROLS = /[^\P{Cc}\t\n]/gu;
