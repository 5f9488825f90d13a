import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { linkHeader, slicePage } from "../../src/api/paging.ts";
import { createWorld } from "../../src/world/world.ts";
import { query, startService } from "../support/running-service.ts";
import { NOW } from "../support/static-world.ts";

const URL_OF_LIST = new URL("http://host:1615/api/v2/experimental/sensors?filter=name+%3D+%22a%22&limit=9");

describe("Link header", () => {
  test.each([
    [{ offset: 0, limit: 10 }, 10, undefined],
    [{ offset: 0, limit: 10 }, 0, undefined],
    [{ offset: 0, limit: 10 }, 11, "next 10+10"],
    [{ offset: 10, limit: 10 }, 11, "previous 0+10"],
    [{ offset: 10, limit: 10 }, 30, "previous 0+10, next 20+10"],
    // The previous page ends where this one begins.
    [{ offset: 4, limit: 10 }, 30, "previous 0+4, next 14+10"],
    [{ offset: 13, limit: 10 }, 30, "previous 3+10, next 23+10"],
    [{ offset: 90, limit: 10 }, 25, "previous 15+10"],
    [{ offset: 90, limit: 10 }, 4, "previous 0+4"],
    [{ offset: 90, limit: 10 }, 0, undefined],
  ])("%j of %i", (page, total, expected) => {
    const header = linkHeader(URL_OF_LIST, page, total);
    const links = header?.split(", ").map((link) => {
      const [, href = "", relation] = /^<(.*)>; rel="(.*)"$/.exec(link) ?? [];
      const { origin, pathname, searchParams } = new URL(href);
      expect(origin + pathname).toBe("http://host:1615/api/v2/experimental/sensors");
      expect(searchParams.get("filter")).toBe('name = "a"');
      return `${relation} ${searchParams.get("offset")}+${searchParams.get("limit")}`;
    });
    expect(links?.join(", ")).toBe(expected);
  });
});

test("a page of several lists is a slice of the joined lists", () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(fc.integer()), { maxLength: 5 }),
      fc.nat({ max: 30 }),
      fc.nat({ max: 30 }),
      (lists, offset, limit) => {
        expect(slicePage(lists, { offset, limit })).toEqual(lists.flat().slice(offset, offset + limit));
      },
    ),
  );
});

const SIZE = { probes: 1, groups: 4, devices: 12, sensors: 40, channels: 200 };

describe("paging through the default world", () => {
  test("the largest page arrives complete, with names in all scripts", async () => {
    const world = createWorld({
      seed: 3,
      size: { ...SIZE, sensors: 500, channels: 3500 },
      startedAt: Date.UTC(2026, 2, 12),
    });
    world.list("sensor").forEach(({ id }, index) => {
      if (index % 2 === 0) world.rename(id, `${"漢字😀".repeat(60)} ${id}`);
    });
    const { send, ids } = await startService({ world });
    const all = world.channels().map(({ sensor, number }) => `${sensor.id}.${number}`);
    expect(await ids("/experimental/channels?limit=3000")).toEqual(all.slice(0, 3000));
    expect(await ids("/experimental/channels?limit=3000&offset=3000")).toEqual(all.slice(3000));
    const names = ((await send("/sensors?limit=500")).json as { name: string }[]).map(({ name }) => name);
    expect(names).toEqual(world.list("sensor").map(({ name }) => name));
  });
});

test("a page of a sorted and filtered list is a slice of the full list", async () => {
  const world = createWorld({ seed: 4, size: { sensors: 300, channels: 1500 }, startedAt: NOW });
  const { ids } = await startService({ world });
  const parameters = { filter: "descendants priority >= 3 and primary = true", sort_by: "-limitmaxerror,name,-id" };
  const whole = await ids(`/channels${query({ ...parameters, limit: "0" })}`);
  expect(whole.length).toBeGreaterThan(100);
  const limits = whole.map((id) => world.channel(id)?.limits.maxError ?? -Infinity);
  expect(limits).toEqual([...limits].sort((a, b) => b - a));
  const paged: string[] = [];
  for (let offset = 0; offset < whole.length; offset += 37) {
    paged.push(...(await ids(`/channels${query({ ...parameters, limit: "37", offset: String(offset) })}`)));
  }
  expect(paged).toEqual(whole);
});
