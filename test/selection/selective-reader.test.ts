import { pino } from "pino";
import { describe, expect, test } from "vitest";
import { ApiError } from "../../src/prtg/api-error.ts";
import type { ListResult } from "../../src/prtg/records.ts";
import type { FilterSet } from "../../src/selection/list-filters.ts";
import { type ListRequest, SelectiveReader } from "../../src/selection/selective-reader.ts";
import { ManualClock } from "../support/manual-clock.ts";

const HOUR = 60 * 60_000;
const PARTS: readonly FilterSet[] = [
  { form: "descendants", filters: ["below"] },
  { form: "parentid", filters: ["first", "second"] },
];

type Answers = Readonly<Record<string, readonly string[] | ApiError>>;

const OTHERS = Array.from({ length: 997 }, (_, at) => `other ${at}`);

/** A list of 1,000 objects with these selected. */
function asking(selected: readonly string[]) {
  const clock = new ManualClock();
  const asker = new SelectiveReader<string>("sensors", clock, pino({ level: "silent" }), 1_000);
  const asked: string[] = [];
  const read = async (answers: Answers, more: Partial<ListRequest<string>> = {}): Promise<readonly string[]> => {
    const list = await asker.read({
      parts: PARTS,
      expected: new Set(selected),
      mayLack: 0,
      mayLackUnknown: false,
      records: selected.length,
      idsIn: ({ items }) => new Set(items),
      read: async (filter = "all"): Promise<ListResult<string>> => {
        asked.push(filter);
        const answer = answers[filter];
        if (answer === undefined || answer instanceof ApiError) throw answer ?? new Error(`asked for ${filter}`);
        return { items: filter === "all" ? [...answer, ...OTHERS] : answer, complete: true, skipped: 0 };
      },
      ...more,
    });
    return [...list.items].filter((item) => !OTHERS.includes(item));
  };
  const askedFor = async (answers: Answers, more: Partial<ListRequest<string>> = {}) => {
    asked.length = 0;
    await read(answers, more);
    return [...asked];
  };
  return { clock, asker, read, askedFor };
}

const REFUSED = new ApiError("API_BAD_REQUEST", "INVALID_FILTER", { endpoint: "/experimental/sensors" });
const TIMEOUT = new ApiError("API_EXECUTION_TIMEOUT", "too slow", { endpoint: "/experimental/sensors" });
const AWAY = new ApiError("API_UNAVAILABLE", "away", { endpoint: "/experimental/sensors" });
const TWO = { below: ["1", "2"], first: ["1"], second: ["2"], all: ["1", "2", "3"] };

describe("read of a list", () => {
  test("uses the whole list at first", async () => {
    const { askedFor } = asking(["1", "2"]);
    expect(await askedFor(TWO, { expected: undefined })).toEqual(["all"]);
  });

  test("uses the cheapest form", async () => {
    const { askedFor } = asking(["1", "2"]);
    expect(await askedFor(TWO)).toEqual(["below"]);
    expect(await askedFor(TWO, { records: 1_000 })).toEqual(["all"]);
    expect(await askedFor(TWO, { parts: PARTS.toReversed() })).toEqual(["below"]);
  });

  test("sends no request for an empty selection", async () => {
    const { asker, read, askedFor, clock } = asking([]);
    await read(TWO, { expected: undefined });
    const nothing: Partial<ListRequest<string>> = { parts: [{ form: "descendants", filters: [] }] };
    expect(await askedFor(TWO, nothing)).toEqual([]);
    await clock.advance(HOUR);
    expect(await askedFor(TWO, nothing)).toEqual(["all"]);
    expect(asker.unsupported).toEqual([]);
  });

  test("falls back to the next form and the whole list after a refusal, and retries after a day", async () => {
    const { clock, askedFor } = asking(["1", "2"]);
    expect(await askedFor({ ...TWO, below: REFUSED })).toEqual(["below", "first", "second"]);
    expect(await askedFor({ ...TWO, second: REFUSED })).toEqual(["first", "second", "all"]);
    expect(await askedFor(TWO)).toEqual(["all"]);
    await clock.advance(24 * HOUR);
    expect(await askedFor(TWO)).toEqual(["below"]);
  });

  test("uses the whole list for an hour if selecting takes too long", async () => {
    const { clock, askedFor } = asking(["1", "2"]);
    expect(await askedFor({ ...TWO, below: TIMEOUT, first: TIMEOUT })).toEqual(["below", "first", "all"]);
    expect(await askedFor(TWO)).toEqual(["all"]);
    await clock.advance(HOUR);
    expect(await askedFor(TWO)).toEqual(["below"]);
  });

  test("stops during an outage", async () => {
    const { read, asker } = asking(["1", "2"]);
    await expect(read({ ...TWO, below: AWAY })).rejects.toBe(AWAY);
    expect(asker.unsupported).toEqual([]);
  });
});

describe("incomplete answer", () => {
  test("causes a read of the whole list, which disables the form if it has more", async () => {
    const { asker, read, askedFor } = asking(["1", "2"]);
    expect(await read({ ...TWO, below: ["1"], first: [], second: [] })).toEqual(TWO.all);
    expect(asker.unsupported).toEqual(["descendants", "parentid"]);
    expect(await askedFor(TWO)).toEqual(["all"]);
    asker.forget();
    expect(await askedFor(TWO)).toEqual(["below"]);
  });

  test("counts as correct if the whole list agrees", async () => {
    const { asker, read, askedFor } = asking(["1", "2"]);
    expect(await read({ below: ["1"], first: ["1"], second: [], all: ["1", "3"] })).toEqual(["1", "3"]);
    expect(asker.unsupported).toEqual([]);
    expect(await askedFor(TWO)).toEqual(["below"]);
  });

  test("counts as correct once the form has shown everything", async () => {
    const { read, askedFor } = asking(["1", "2"]);
    await read(TWO);
    expect(await askedFor({ ...TWO, below: ["1"] })).toEqual(["below"]);
    expect(await read({ ...TWO, below: ["1"] })).toEqual(["1"]);
  });

  test("causes a read of the whole list within an hour for unknown objects", async () => {
    const { clock, asker, read, askedFor } = asking(["1", "2"]);
    const unknown: Partial<ListRequest<string>> = { mayLackUnknown: true };
    expect(await askedFor(TWO, unknown)).toEqual(["below"]);
    await clock.advance(HOUR - 1);
    expect(await askedFor(TWO, unknown)).toEqual(["below"]);
    await clock.advance(1);
    expect(await read(TWO, unknown)).toEqual(TWO.all);
    // Object 3 is now expected, and earlier proof does not cover it.
    expect(await read(TWO, { ...unknown, expected: new Set(TWO.all) })).toEqual(TWO.all);
    expect(asker.unsupported).toEqual(["descendants", "parentid"]);
  });

  test("causes no read of a whole list that fails", async () => {
    const { clock, read, askedFor } = asking(["1", "2"]);
    const unknown: Partial<ListRequest<string>> = { mayLackUnknown: true };
    await read(TWO, unknown);
    await clock.advance(HOUR);
    expect(await askedFor({ ...TWO, all: TIMEOUT }, unknown)).toEqual(["all", "below"]);
    expect(await askedFor({ ...TWO, all: TIMEOUT }, unknown)).toEqual(["below"]);
  });
});
