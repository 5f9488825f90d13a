import { describe, expect, it } from "vitest";
import type { SearchQuery } from "../../../src/http/pages/status/source.ts";
import { ANY_SEARCH } from "../../http/pages/status/reports.ts";
import { fakeServers } from "../../support/fake-status-source.ts";

function search(servers: number, query: Partial<SearchQuery> = {}) {
  return fakeServers(servers).source.search({ ...ANY_SEARCH, ...query });
}

describe("search", () => {
  it("lists up to a hundred servers to choose from, in the order of people", async () => {
    const { servers } = await search(100, { text: "nothing has this name" });
    expect(servers).toEqual(Array.from({ length: 100 }, (_, index) => `customer ${index + 1}`));
    expect((await search(101, { text: "nothing has this name" })).servers).toEqual([]);
  });

  it("has pages of fifty objects, and shows the last one instead of a later one", async () => {
    const first = await search(3);
    const { total } = first;
    const pages = Math.ceil(total / 50);
    expect(pages).toBeGreaterThan(1);
    expect(first.page).toEqual({ number: 1, pages, from: 0 });
    expect(first.items).toHaveLength(50);
    const last = await search(3, { page: 99 });
    expect(last.page).toEqual({ number: pages, pages, from: 50 * (pages - 1) });
    expect(last.items).toHaveLength(total - 50 * (pages - 1));
    const ids = (items: typeof last.items) => items.map(({ server, id }) => `${server} ${id}`);
    expect(new Set([...ids(first.items), ...ids(last.items)]).size).toBe(first.items.length + last.items.length);
  });

  it("without results has one empty page", async () => {
    expect(await search(1, { text: "nothing has this name", page: 2 })).toMatchObject({
      ...{ total: 0, items: [] },
      page: { number: 1, pages: 1, from: 0 },
    });
  });

  it.each<[Partial<SearchQuery>, string]>([
    [{ server: "customer 4" }, "customer 4"],
    [{ statuses: ["dwon"] }, "dwon"],
  ])("rejects %j and names the value", async (query, value) => {
    await expect(search(3, query)).rejects.toThrow(value);
  });

  it("covers one server if the query names it", async () => {
    const { items, total } = await search(3, { server: "customer 2" });
    expect(3 * total).toBe((await search(3)).total);
    expect(new Set(items.map(({ server }) => server))).toEqual(new Set(["customer 2"]));
  });
});
