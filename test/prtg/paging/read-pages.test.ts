import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MemoryBudget } from "../../../src/lib/memory-budget.ts";
import { noProblems } from "../../../src/prtg/decode/values.ts";
import { KeyedItems } from "../../../src/prtg/paging/item-store.ts";
import { type ListBounds, ListQuotas } from "../../../src/prtg/paging/list-quota.ts";
import { PageSize } from "../../../src/prtg/paging/page-size.ts";
import { type PageSource, type ReadResult, readPages } from "../../../src/prtg/paging/read-pages.ts";

interface ServerQuirks {
  /** Regardless of the request. */
  readonly cap?: number;
  /** X-Total-Count for a list of `length`. */
  readonly total?: (length: number) => number | undefined;
  readonly link?: boolean;
  readonly bounds?: ListBounds;
  /** From 0. May change the list. */
  readonly beforePage?: (list: string[], page: number) => void;
}

/** `requests` records calls. */
function source(
  list: string[],
  quirks: ServerQuirks = {},
  limit = 5,
): { source: PageSource<string>; requests: string[] } {
  const requests: string[] = [];
  const pageSize = new PageSize();
  Object.defineProperty(pageSize, "current", { get: () => limit });
  const page: PageSource<string>["page"] = async ({ offset, limit: asked }, startRecords) => {
    quirks.beforePage?.(list, requests.length);
    requests.push(`${offset}+${asked}`);
    const records = list.slice(offset, offset + Math.min(asked, quirks.cap ?? asked));
    records.forEach(startRecords());
    const total = quirks.total === undefined ? list.length : quirks.total(list.length);
    return { total, hasNext: quirks.link === true ? offset + records.length < list.length : undefined };
  };
  const decode: PageSource<string>["decode"] = (record, problems) => {
    if (typeof record === "string" && record !== "bad") return record;
    problems.record++;
    return undefined;
  };
  const accounts = new ListQuotas(quirks.bounds ?? { maxObjects: 100_000, maxTextSize: 100_000 }, new MemoryBudget());
  // `7:other` is another record with id 7.
  const idOf = (record: string) => record.split(":", 1)[0] ?? "";
  const openStore = () => new KeyedItems(idOf);
  const format = { decode, idOf, openStore, describe: (record: string) => record, sizeOf: (id: string) => id.length };
  return {
    source: { pageSize, page, isTooLarge: () => false, ...format, openQuota: () => accounts.open("/things", 100) },
    requests,
  };
}

function ids(count: number): string[] {
  return Array.from({ length: count }, (_, index) => String(index));
}

describe("stable list", () => {
  test.each([
    { objects: 0, requests: ["0+5"] },
    { objects: 1, requests: ["0+5"] },
    { objects: 4, requests: ["0+5"] },
    // Only the next page shows the end.
    { objects: 5, requests: ["0+5", "4+5"] },
    { objects: 6, requests: ["0+5", "4+5"] },
    { objects: 8, requests: ["0+5", "4+5"] },
    { objects: 9, requests: ["0+5", "4+5", "8+5"] },
    { objects: 10, requests: ["0+5", "4+5", "8+5"] },
  ])("takes ceil(objects / (limit - 1)) requests for $objects objects", async ({ objects, requests }) => {
    const server = source(ids(objects));
    const reading = await readPages(server.source);
    expect(reading).toMatchObject({
      items: ids(objects),
      complete: true,
      moved: false,
      skipped: 0,
      totalDifference: 0,
    });
    expect(server.requests).toEqual(requests);
  });

  test("is complete from a server that caps its pages", async () => {
    const server = source(ids(10), { cap: 3 });
    expect(await readPages(server.source)).toMatchObject({ items: ids(10), complete: true, moved: false });
    expect(server.requests).toEqual(["0+5", "2+5", "4+5", "6+5", "8+5"].slice(0, server.requests.length));
    expect(server.requests).toHaveLength(5);
  });

  test("is complete from a server that returns one object at a time", async () => {
    const server = source(ids(4), { cap: 1 });
    expect((await readPages(server.source)).items).toEqual(ids(4));
  });

  test("ends at a short page without a total", async () => {
    const server = source(ids(7), { total: () => undefined });
    const reading = await readPages(server.source);
    expect(reading).toMatchObject({ items: ids(7), complete: true });
    expect(reading.totalDifference).toBeUndefined();
    expect(server.requests).toEqual(["0+5", "4+5"]);
  });

  test("continues after a short page with a Link to a next one", async () => {
    const server = source(ids(7), { total: () => undefined, cap: 3, link: true });
    expect((await readPages(server.source)).items).toEqual(ids(7));
  });

  test.each([
    { says: "more", total: (length: number) => length + 3, difference: 3 },
    { says: "fewer", total: (length: number) => Math.max(0, length - 3), difference: -3 },
    { says: "none", total: () => 0, difference: -7 },
  ])("is complete although X-Total-Count is $says, and reports the difference", async ({ total, difference }) => {
    const reading = await readPages(source(ids(7), { total }).source);
    expect(reading).toMatchObject({ items: ids(7), complete: true, moved: false, totalDifference: difference });
  });

  test("skips bad records and counts each once, also in overlapping pages", async () => {
    const list = ["0", "bad", "2", "3", "bad", "5", "bad"];
    const reading = await readPages(source(list).source);
    expect(reading).toMatchObject({ items: ["0", "2", "3", "5"], complete: true, skipped: 3, totalDifference: 0 });
    expect(reading.problems).toEqual({ ...noProblems(), record: 3 });
  });

  test("contains each object once although the server repeats it", async () => {
    const list = ["0", "1", "1", "2", "3", "4", "1", "5"];
    expect((await readPages(source(list).source)).items).toEqual(["0", "1", "2", "3", "4", "5"]);
  });
});

describe("moving list", () => {
  test("reveals a deletion despite an equal total after an insertion", async () => {
    const server = source(ids(12), {
      beforePage: (list, page) => {
        if (page === 1) {
          list.splice(1, 1);
          list.push("new");
        }
      },
    });
    const reading = await readPages(server.source);
    expect(reading).toMatchObject({ complete: true, moved: true });
    expect(reading.items).toEqual(["0", ...ids(12).slice(2), "new"]);
  });

  test("reveals a changed total", async () => {
    const server = source(ids(8), { beforePage: (list, page) => void (page === 1 && list.push("new")) });
    expect(await readPages(server.source)).toMatchObject({ complete: true, moved: true, items: [...ids(8), "new"] });
    expect(server.requests).toEqual(["0+5", "4+5", "0+5", "4+5", "8+5"]);
  });

  test("reveals that it became empty after the first page", async () => {
    const server = source(ids(8), {
      total: () => undefined,
      beforePage: (list, page) => void (page === 1 && list.splice(0)),
    });
    expect(await readPages(server.source)).toMatchObject({ items: [], complete: true, moved: true });
  });

  test("is incomplete after a second move and contains objects of both reads", async () => {
    const server = source(ids(12), {
      beforePage: (list, page) => {
        if (page === 1) list.splice(0, 2);
        if (page === 3) list.splice(0, 4);
      },
    });
    const reading = await readPages(server.source);
    expect(reading).toMatchObject({ complete: false, moved: true });
    expect(reading.totalDifference).toBeUndefined();
    expect(new Set(reading.items)).toEqual(new Set(ids(12)));
  });

  test("is incomplete instead of endless if the server ignores the offset", async () => {
    const records = ids(5);
    const { source: honest } = source(records);
    const page: PageSource<string>["page"] = async (_range, startRecords) => {
      records.forEach(startRecords());
      return { total: 20, hasNext: undefined };
    };
    const reading = await readPages({ ...honest, page });
    expect(reading).toMatchObject({ complete: false, items: records });
  });
});

test("a repeated page ignores its first attempt", async () => {
  const list = ["0", "bad", "2", "3", "4", "2:other"];
  const { source: server } = source(list);
  const page: PageSource<string>["page"] = (range, startRecords) => {
    const broken = startRecords();
    for (const record of ["4", "7", "bad", "2:third", "8", "8:other"]) broken(record);
    return server.page(range, startRecords);
  };
  const { items, skipped, moved, duplicates, totalDifference } = await readPages({ ...server, page });
  expect(items).toEqual(["0", "2", "3", "4"]);
  expect({ skipped, moved, totalDifference }).toEqual({ skipped: 1, moved: false, totalDifference: 0 });
  expect(duplicates.named).toEqual([{ id: "2", kept: "2", dropped: "2:other" }]);
});

describe("slow pages", () => {
  const tooLarge = new Error("EXECUTION_TIMEOUT");

  function slowSource(pageSize: PageSize, largest: number): { source: PageSource<string>; limits: number[] } {
    const limits: number[] = [];
    const { source: quick } = source(ids(2000), {}, 0);
    return {
      limits,
      source: {
        ...quick,
        pageSize,
        isTooLarge: (error) => error === tooLarge,
        page: (range, startRecords) => {
          limits.push(range.limit);
          return range.limit > largest ? Promise.reject(tooLarge) : quick.page(range, startRecords);
        },
      },
    };
  }

  test("become smaller now and in the next read", async () => {
    const pageSize = new PageSize();
    const server = slowSource(pageSize, 1500);
    expect((await readPages(server.source)).items).toHaveLength(2000);
    expect(server.limits).toEqual([3000, 1500, 1500]);
    await readPages(server.source);
    expect(server.limits.slice(3)).toEqual([1500, 1500]);
  });

  test("fail if the smallest fails", async () => {
    const server = slowSource(new PageSize(), 100);
    await expect(readPages(server.source)).rejects.toBe(tooLarge);
    expect(server.limits).toEqual([3000, 1500, 750]);
  });

  test("stay the same size after other failures", async () => {
    const server = slowSource(new PageSize(), 3000);
    const failure = new Error("HTTP 503");
    const failing = { ...server.source, page: () => Promise.reject(failure) };
    await expect(readPages(failing)).rejects.toBe(failure);
    expect(failing.pageSize.current).toBe(3000);
  });
});

describe("inserts, deletes and repeats between pages", () => {
  type Change = { readonly kind: "insert" | "delete" | "replace" | "repeat" | "echo"; readonly at: number };
  /** Changes before the n-th page. Then the list is stable. */
  type History = readonly (readonly Change[])[];

  function arbitraryHistory(...kinds: Change["kind"][]): fc.Arbitrary<History> {
    const change = fc.record({ kind: fc.constantFrom(...kinds), at: fc.nat(40) });
    return fc.array(fc.array(change, { maxLength: 3 }), { maxLength: 10 });
  }

  interface Lifetime {
    /** Alive during the whole read. */
    throughout: Set<string>;
    reading: ReadResult<string>;
  }

  async function readWhileChanging(
    list: string[],
    history: History,
    quirks: ServerQuirks,
    nextId: () => string,
  ): Promise<Lifetime> {
    const throughout = new Set(list);
    const changing = source(list, {
      ...quirks,
      beforePage: (_list, page) => {
        for (const { kind, at } of history[page] ?? []) {
          const index = list.length === 0 ? 0 : at % list.length;
          if (kind === "insert") list.splice(index, 0, nextId());
          if (kind === "delete") list.splice(index, 1);
          if (kind === "replace") {
            list.splice(index, 1);
            list.push(nextId());
          }
          // Echoes may come anywhere, even before.
          if (kind === "repeat") list.splice(index, 0, ...list.slice(index, index + 1));
          if (kind === "echo") list.splice((at * 7) % (list.length + 1), 0, ...list.slice(index, index + 1));
        }
        const alive = new Set(list);
        for (const id of throughout) if (!alive.has(id)) throughout.delete(id);
      },
    });
    return { reading: await readPages(changing.source), throughout };
  }

  const arbitraryQuirks = fc.constantFrom<ServerQuirks>(
    {},
    { cap: 4 },
    { cap: 2 },
    { total: (length) => length + 2 },
    { total: (length) => length + 2, cap: 3 },
    { total: () => undefined },
    { total: () => undefined, cap: 3, link: true },
  );

  test("leave all permanent objects in a complete read, once each", async () => {
    let complete = 0;
    let moved = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.nat(25),
        arbitraryHistory("insert", "delete", "replace", "repeat"),
        arbitraryQuirks,
        async (size, changes, quirks) => {
          let created = size;
          const { reading, throughout } = await readWhileChanging(ids(size), changes, quirks, () => String(created++));
          expect(new Set(reading.items).size).toBe(reading.items.length);
          if (reading.complete) complete++;
          if (reading.moved) moved++;
          if (reading.complete) expect([...throughout].filter((id) => !reading.items.includes(id))).toEqual([]);
        },
      ),
      { numRuns: 1000 },
    );
    // Otherwise the property would prove little.
    expect(complete).toBeGreaterThan(100);
    expect(moved).toBeGreaterThan(100);
  });

  test("mark no permanent object as missing in two successive reads", async () => {
    let judged = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 25 }),
        arbitraryHistory("insert", "delete", "replace", "repeat", "echo"),
        arbitraryHistory("insert", "delete", "replace", "repeat", "echo"),
        async (size, before, after) => {
          const list = ids(size);
          let created = size;
          const nextId = (): string => String(created++);
          const first = await readWhileChanging(list, before, {}, nextId);
          const second = await readWhileChanging(list, after, {}, nextId);
          if (!first.reading.complete || !second.reading.complete) return;
          judged++;
          const alive = [...first.throughout].filter((id) => second.throughout.has(id));
          const absent = alive.filter((id) => !first.reading.items.includes(id) && !second.reading.items.includes(id));
          expect(absent).toEqual([]);
        },
      ),
      { numRuns: 500 },
    );
    expect(judged).toBeGreaterThan(50);
  });
});

describe("records with the same id", () => {
  test("keep the first and name the others", async () => {
    const { source: list } = source(["1", "2", "2:other", "3", "4", "5", "2:third", "6"], {}, 3);
    const { items, complete, duplicates, problems, totalDifference } = await readPages(list);
    expect(items).toEqual(["1", "2", "3", "4", "5", "6"]);
    expect(complete).toBe(true);
    expect(problems.duplicate).toBe(2);
    expect(duplicates.named).toEqual([
      { id: "2", kept: "2", dropped: "2:other" },
      { id: "2", kept: "2", dropped: "2:third" },
    ]);
    expect(totalDifference).toBe(0);
  });

  test("keep the first at the end of a page", async () => {
    const { source: list } = source(["1", "2", "2:other", "3", "4"], {}, 3);
    const { items, problems } = await readPages(list);
    expect(items).toEqual(["1", "2", "3", "4"]);
    expect(problems.duplicate).toBe(1);
  });

  test("count as one object if they are equal", async () => {
    const { source: list } = source(["1", "2", "3", "2", "4"], {}, 10);
    const { items, problems } = await readPages(list);
    expect(items).toEqual(["1", "2", "3", "4"]);
    expect(problems.duplicate).toBe(0);
  });

  test("are uncounted if the list moved twice", async () => {
    const beforePage = (served: string[], request: number) => void served.unshift(`new-${request}`);
    const { source: list } = source(["1", "2", "2:other", "3", "4", "5", "6"], { beforePage }, 3);
    const { complete, problems } = await readPages(list);
    expect(complete).toBe(false);
    expect(problems.duplicate).toBe(0);
  });

  test("appear up to a limit, with a full count", async () => {
    const { source: list } = source(["1", ...Array.from({ length: 50 }, (_, index) => `1:${index}`)], {}, 100);
    const { duplicates, problems } = await readPages(list);
    expect(problems.duplicate).toBe(50);
    expect(duplicates.named).toHaveLength(10);
  });
});
