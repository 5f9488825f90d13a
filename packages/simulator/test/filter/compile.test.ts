import { describe, expect, test } from "vitest";
import { compileFilter, type FilterScope } from "../../src/filter/compile.ts";
import { FilterError } from "../../src/filter/filter-error.ts";
import { propertyTable } from "../../src/filter/vocabulary.ts";
import type { SpellingName } from "../../src/records/spelling.ts";
import { idOf } from "../../src/world/objects.ts";
import { StaticWorld } from "../support/static-world.ts";
import { everythingOf, scopeOf } from "../support/tree-filter.ts";

const world = new StaticWorld();
const everything = everythingOf(world);

function select(filter: string, spelling: SpellingName = "specification"): string {
  return everything
    .filter(compileFilter(filter, scopeOf(world, spelling)))
    .map(idOf)
    .join(" ");
}

describe("filters of tree objects", () => {
  test.each([
    ['id = "100"', "100"],
    ['id != "100" and type = device', "101 200"],
    ['name = "Ping"', "1000"],
    ['name = "ping"', ""],
    ['id = "1000" or id = "10" or id = "4711"', "10 1000"],
    ['id = "1000" or name = "CPU" or parentid = "1001" or id = "1"', "1 1000 1002 1001.1 1001.2"],
    [
      '(basic.host = "10.0.0.2" or basic.host = nil or basic.host = "nil") and type != channel and type != sensor',
      "1 2 10 11 20 100",
    ],
    ['(id = "1000" or not id = "1000") and type = probe', "1 2"],
    ['name in ["Ping", "CPU", "nobody"]', "1000 1002"],
    ['name = "Größe \\"π\\" \\\\ 漢\ud800"', "11"],
    ['kind = "ping"', "1000"],
    ['type = device and kind != "device"', ""],
    ['parentid = "10"', "11 100"],
    ['parentid = "1001"', "1001.1 1001.2"],
    ['basic.host = "10.0.0.3"', "101"],
    ['basic.host in ["10.0.0.3", "10.2.0.9"]', "101 200"],
    ["basic.host != nil", "100 101 200"],
    ["basic.host = nil and type = sensor", "1000 1001 1002 2000"],
    // Absent differs from any value.
    ['basic.host != "10.0.0.3" and type = device', "100 200"],
    ['basic.host != "10.0.0.3" and type = probe', "1 2"],
    ['basic.hostv6 = ""', "100 101 200"],
    ['basic.tags contains "cisco"', "100 101"],
    ['basic.tags contains "cis"', ""],
    ['basic.parenttags contains "cisco"', "1000 1001 1002 1000.0 1000.-4 1001.1 1001.2 1002.0"],
    ['basic.parenttags contains "net" and type = device', "100 101"],
    ["status = acknowledged", "1001"],
    ["status = DOWN or status = Acknowledged", "1001 2000"],
    ["status != up and type = sensor", "1001 1002 2000"],
    ["not(status = up) and type = sensor", "1001 1002 2000"],
    ["status = nil", "1000.0 1000.-4 1001.1 1001.2 1002.0 2000.3"],
    ["favorite = true", "10 1001"],
    ["primary = true", "1000.0 1001.1 1002.0 2000.3"],
    ["primary = false", "1000.-4 1001.2"],
    ["intervalgroup.interval < 60s", "1001"],
    ["intervalgroup.interval <= 30.0s", "1001"],
    ["intervalgroup.interval > 59.5s and type = sensor", "1000 1002 2000"],
    ["intervalgroup.interval >= 60s and intervalgroup.interval != 60s", ""],
    ["autodiscoveryjobgroup.discojobid != nil", ""],
    ["type = user or type = library", ""],
    ['type = sensor and (basic.tags contains "wan" or status = down)', "1001 2000"],
    ['descendants id = "10"', "11 100 101 1000 1001 1002 1000.0 1000.-4 1001.1 1001.2 1002.0"],
    ['descendants name = "Network" and type = sensor', "1000 1001 1002"],
    ['children id = "10"', "11 100"],
    ['children id = "0"', "1 2"],
    ["children status = down", "2000.3"],
    ["parents status = down", "200"],
    ["ancestors status = down", "2 20 200"],
    ['ancestors id = "1001.2"', "1 10 100 1001"],
    ['not descendants id = "1" and type = device', "200"],
    ["descendants (favorite = true and type = group) and type = device", "100 101"],
  ])("%s", (filter, ids) => {
    expect(select(filter)).toBe(ids);
  });
});

describe("refused filters", () => {
  test.each([
    ["nme = 5", "INVALID_FILTER", "unknown property nme", 1],
    ['parent.id = "5"', "INVALID_FILTER", "unknown property parent.id", 1],
    ["parentid = 2490", "INVALID_FILTER", "value must be a text", 12],
    ["parentid in [2490]", "INVALID_FILTER", "parentid cannot be compared with in, only with =, !=", 10],
    ['name in "x"', "INVALID_FILTER", "value must be a list", 9],
    ['name = ["x"]', "INVALID_FILTER", "a list works only with in", 8],
    ["name in [5]", "INVALID_FILTER", "value must be a text", 10],
    ['name matches "x"', "INVALID_FILTER", "name cannot be compared with matches", 6],
    ['name contains "x"', "INVALID_FILTER", "name cannot be compared with contains", 6],
    ['basic.tags = "x"', "INVALID_FILTER", "basic.tags cannot be compared with =", 12],
    ['status = "up"', "INVALID_FILTER", "value must be an identifier", 10],
    [
      "status = DOWN_ACKNOWLEDGED",
      "INVALID_FILTER",
      "unknown identifier DOWN_ACKNOWLEDGED, expected one of none, ",
      10,
    ],
    ["status = SUMMED_INFO_UP", "INVALID_FILTER", "unknown identifier", 10],
    ["status = pausedbyuseruntil", "INVALID_FILTER", "unknown identifier", 10],
    ["status in [up, down]", "INVALID_FILTER", "status cannot be compared with in", 8],
    ["priority = 5s", "INVALID_FILTER", "value must be a number", 12],
    ["priority in [5]", "INVALID_FILTER", "priority cannot be compared with in, only with =, !=, <, <=, >, >=", 10],
    [`${"x".repeat(90)} = 5`, "INVALID_FILTER", `unknown property ${"x".repeat(40)}... at`, 1],
    ["favorite = 1", "INVALID_FILTER", "value must be true or false", 12],
    ["name = nil", "INVALID_FILTER", "name is never absent", 8],
    ["favorite in nil", "INVALID_FILTER", "nil works only with", 10],
    ["intervalgroup.interval > 60", "INVALID_DURATION", "value needs the suffix s", 26],
    ['intervalgroup.interval > "60s"', "INVALID_FILTER", "value must be a duration", 26],
    ["children nme = 5", "INVALID_FILTER", "unknown property nme", 10],
  ])("%s", (filter, code, complaint, position) => {
    const compile = () => compileFilter(filter, scopeOf(world, "specification"));
    expect(compile).toThrow(FilterError);
    expect(compile).toThrow(expect.objectContaining({ code, position, message: expect.stringContaining(complaint) }));
  });
});

describe("filters on live servers", () => {
  test.each([
    ["status in [DOWN, pausedbyuser]", "1002 2000"],
    ['parentid in ["1000", "2000"]', "1000.0 1000.-4 2000.3"],
    ["parentid in [1000]", ""],
    ["status = pausedbyuseruntil", ""],
  ])("%s", (filter, ids) => {
    expect(select(filter, "live")).toBe(ids);
  });

  test("refuses tokens with a prefix or an underscore", () => {
    expect(() => select("status = SUMMED_INFO_UP", "live")).toThrow(FilterError);
    expect(() => select("status in [UP, PAUSED_BY_USER]", "live")).toThrow(FilterError);
  });
});

test("a filter does not reveal hidden objects", () => {
  const scope = scopeOf(world, "specification", { everything: false, sees: (subject) => idOf(subject) !== "10" });
  expect(everything.filter(compileFilter('children name = "Network"', scope))).toEqual([]);
  expect(everything.filter(compileFilter('ancestors contains "10"', scope))).toEqual([]);
  expect(everything.filter(compileFilter('descendants contains "10"', scope))).toEqual([]);
});

describe("filters of records outside the tree", () => {
  interface Book {
    readonly title: string;
    readonly loan: number | undefined;
  }
  const books: readonly Book[] = [
    { title: "A", loan: 60 },
    { title: "B", loan: undefined },
  ];
  const table = propertyTable<Book, number>({
    name: (book) => book.title,
    scanninginterval: (book, factor) => (book.loan === undefined ? undefined : book.loan * factor),
  });
  const scope: FilterScope<Book, number> = {
    properties: table.specification,
    context: 2,
    lenientLists: false,
    plainTexts: false,
  };
  const titles = (filter: string) => books.filter(compileFilter(filter, scope)).map(({ title }) => title);

  test("use the same language with other properties", () => {
    expect(titles('name = "A"')).toEqual(["A"]);
    expect(titles("scanninginterval = 120s")).toEqual(["A"]);
    expect(titles("scanninginterval = nil")).toEqual(["B"]);
    // Properties of other records are always absent.
    expect(titles("priority = nil")).toEqual(["A", "B"]);
    expect(titles("priority < 5")).toEqual([]);
  });

  test("lack relations", () => {
    expect(() => titles('name = "A" or children name = "A"')).toThrow(
      "Filter is invalid: children works only with objects of the tree at position 15",
    );
  });
});
