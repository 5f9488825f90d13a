import { describe, expect, test } from "vitest";
import {
  CACHED_FOR_MS,
  MAX_SHARDS,
  NO_CONTENT,
  nameOf,
  type Representation,
  RepresentationCache,
} from "../../src/exposition/representation.ts";

interface Given {
  readonly part: string;
  readonly bytes?: number;
  readonly first?: number;
  readonly asked?: number;
  readonly format?: "text" | "openmetrics";
}

function form({ part, bytes = 10, first = 0, asked = first, format = "text" }: Given): Representation {
  const [index = 0, count = 1] = part.split("/").map(Number);
  return {
    key: { format, shard: { index, count } },
    version: 1,
    firstRequestedAt: first,
    lastRequestedAt: asked,
    content: { ...NO_CONTENT, length: bytes },
  };
}

/** Remaining representations in order. */
function kept(given: readonly Given[], now: number, maxBytes: number): string[] {
  const forms = new RepresentationCache();
  for (const each of given) forms.set(form(each));
  forms.trim(now, maxBytes);
  return [...forms.values()].map(({ key }) => nameOf(key));
}

describe("cached forms", () => {
  test("include the whole page at any size, and as many parts as fit", () => {
    const parts = ["0/3", "1/3", "2/3"].map((part, at) => ({ part, first: at }));
    expect(kept([{ part: "0/1", bytes: 1_000 }, ...parts], 5, 20)).toEqual(["text 0/1", "text 1/3", "text 2/3"]);
  });

  test("count a part once for all formats and evict all of them", () => {
    const both = (part: string, first: number) =>
      (["text", "openmetrics"] as const).map((format) => ({ part, first, format }));
    expect(kept([...both("0/3", 0), ...both("1/3", 1), ...both("2/3", 2)], 5, 20)).toEqual([
      "text 1/3",
      "openmetrics 1/3",
      "text 2/3",
      "openmetrics 2/3",
    ]);
  });

  test("stay for regular scrapers while others request other parts", () => {
    const regular = { part: "0/4", first: 0, asked: 30_000 };
    const tried = ["0/5", "1/5", "2/5"].map((part, at) => ({ part, first: 31_000 + at }));
    expect(kept([regular, ...tried], 32_000, 20)).toEqual(["text 0/4", "text 2/5"]);
    // It has not returned for a while.
    expect(kept([regular, ...tried], 182_000, 20)).toEqual(["text 1/5", "text 2/5"]);
  });

  test("have at most all parts of one page at any size", () => {
    const all = Array.from({ length: MAX_SHARDS }, (_, index) => ({
      part: `${index}/${MAX_SHARDS}`,
      bytes: 0,
      first: index,
    }));
    expect(kept(all, 200, 20)).toHaveLength(MAX_SHARDS);
    const more = Array.from({ length: 20 }, (_, index) => ({ part: `${index}/20`, bytes: 0, first: index }));
    expect(kept([...all, ...more], 200, 20)).toHaveLength(MAX_SHARDS);
  });

  test("expire after ten minutes without a request", () => {
    expect(kept([{ part: "0/1" }, { part: "0/2" }, { part: "1/2", first: 1 }], CACHED_FOR_MS + 1, 100)).toEqual([
      "text 1/2",
    ]);
  });
});
