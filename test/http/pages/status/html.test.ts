import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { escapeHtml, html } from "../../../../src/http/pages/status/html.ts";

/** Like a browser. */
function read(text: string): string {
  const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', "#39": "'", amp: "&" };
  return text.replace(/&(lt|gt|quot|#39|amp);/g, (_match, name: string) => entities[name] ?? "");
}

const hostile = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc
    .array(fc.constantFrom("<", ">", '"', "'", "&", "&amp;", "/", "=", "script", "-->", "]]>", "\u0000", "\ud800"), {
      maxLength: 12,
    })
    .map((parts) => parts.join("")),
);

describe("html", () => {
  test("escapes any text between tags and in attributes", () => {
    fc.assert(
      fc.property(hostile, hostile, (name, title) => {
        const page = html`<p title="${title}">${name}</p>`.toString();
        const match = /^<p title="([^"<>]*)">([^<>"']*)<\/p>$/.exec(page);
        expect(match, page).not.toBeNull();
        expect([read(match?.[1] ?? ""), read(match?.[2] ?? "")]).toEqual([readable(title), readable(name)]);
      }),
    );
  });

  test("changes only markup characters, controls and lone surrogates", () => {
    fc.assert(fc.property(hostile, (text) => read(escapeHtml(text)) === readable(text)));
  });

  test("escapes once in nested templates", () => {
    const inner = html`<b>${"<i>"}</b>`;
    expect(String(html`<p>${inner}${[inner, "&"]}</p>`)).toBe("<p><b>&lt;i&gt;</b><b>&lt;i&gt;</b>&amp;</p>");
  });

  test.each([
    [undefined, ""],
    [null, ""],
    [false, ""],
    [0, "0"],
    ["", ""],
    [[], ""],
    [["a", [1, undefined, "<"]], "a1&lt;"],
  ] as const)("renders %j as %j", (value, expected) => {
    expect(String(html`${value}`)).toBe(expected);
  });

  test("escapes objects that imitate HTML", () => {
    const fake = { toString: () => "<script>", text: "<script>" };
    expect(String(html`${String(fake)}`)).toBe("&lt;script&gt;");
  });
});

function readable(text: string): string {
  return [...text.toWellFormed()].map((character) => (isControl(character) ? "\ufffd" : character)).join("");
}

function isControl(character: string): boolean {
  return (character < " " || (character >= "\u007f" && character < "\u00a0")) && !"\t\n".includes(character);
}
