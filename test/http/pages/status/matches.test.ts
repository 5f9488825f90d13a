import { describe, expect, it } from "vitest";
import { marked, wordPattern } from "../../../../src/http/pages/status/matches.ts";

function shown(text: string, words: string): string {
  return marked(text, wordPattern(words)).toString();
}

describe("matches of a search", () => {
  it("marks each word in any case", () => {
    expect(shown("Core Ping at core-1", "PING core")).toBe(
      "<mark>Core</mark> <mark>Ping</mark> at <mark>core</mark>-1",
    );
  });

  it("marks the longer of two words that overlap", () => {
    expect(shown("pinger", "ping pinger")).toBe("<mark>pinger</mark>");
  });

  it("marks nothing without words", () => {
    expect(shown("Ping", "  ")).toBe("Ping");
  });

  it.each(["(.*)", "[a-", "a|b", "c:\\\\", "$1", "^", "{2}", "a/b", "+"])("takes %s as plain text", (word) => {
    expect(shown(`x${word}y`, word)).toBe(`x<mark>${word}</mark>y`);
    expect(shown("aaa", word)).toBe("aaa");
  });

  it("escapes markup inside and outside of marks", () => {
    expect(shown("<b>&<i>", "<b>")).toBe("<mark>&lt;b&gt;</mark>&amp;&lt;i&gt;");
  });
});
