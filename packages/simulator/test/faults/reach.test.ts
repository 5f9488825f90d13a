import { expect, test } from "vitest";
import { loadContract } from "../../src/api/contract/contract.ts";
import { parseFault } from "../../src/faults/grammar.ts";
import { checkReach, globsMeet } from "../../src/faults/reach.ts";

test.each([
  ["/sensors/{id}", "/sensors/{id}", true],
  ["/sensors/7", "/sensors/{id}", true],
  ["/sensors/7/data", "/sensors/{id}", false],
  ["/sensors/*", "/sensors/{id}/data", true],
  ["*", "/sensors/{id}", true],
  ["*/sensors", "/experimental/sensors", true],
  ["/*/sensor", "/experimental/sensors", false],
  ["*data", "/sensors/{id}/data", true],
  ["/sensors/{id}data", "/sensors/{id}", true],
  ["/sensors/", "/sensors/{id}", false],
  ["/sensors//", "/sensors/{id}", false],
  ["/{a}/{b}/{c}", "/experimental/timeseries/{id}/{type}", false],
  ["/{a}/{b}/{c}/{d}", "/experimental/timeseries/{id}/{type}", true],
  ["", "/sensors", false],
  [`${"*a".repeat(30)}`, `/${"{id}".repeat(20)}b`, false],
])("the globs %s and %s meet: %s", (glob, template, meets) => {
  expect(globsMeet(glob, template)).toBe(meets);
});

test.each([
  "html",
  "hang@*",
  "error=500@/experimental/*",
  "error=500@POST:/session",
  "missing@/sensors/7",
  "moving-list@*",
  "execution-timeout=10@/experimental/sensors?limit&include=*path*",
  "hang@*?limit",
  "hang@/experimental/timeseries/5/",
  "refuses=include",
  "refuses=sensor_status_summary@*/groups",
  "refuses=include:values@/experimental/channels",
  "refuses=from@/experimental/timeseries/*",
  "wrong-total=1@*/sensors",
  "parents=chain@/lookup-definitions",
  "rounded@/experimental/channels",
  "short-rows@/experimental/timeseries/*",
])("%s can match an operation", async (text) => {
  const { operations } = await loadContract();
  expect(() => checkReach(parseFault(text), operations)).not.toThrow();
});

test.each([
  ["error=500@/experimental/sensor", /no operation has the path .*\/experimental\/sensors/],
  ["hang@/sensor/{id}", /The nearest paths: \/sensors\/\{id\}/],
  ["hang@PUT:/session", /no operation has the method PUT there\. Use one of (?=.*POST)(?=.*GET)/],
  ["moving-list@/version", /moving-list needs a list with pages/],
  ["wrong-total=1@POST:*", /wrong-total needs a list with pages, and \* is none/],
  ["refuses=inclde:path", /no operation there has the parameter inclde\. The nearest parameters: include/],
  ["refuses=include@/version", /no operation there has the parameter include/],
  ["hang@*?LIMIT", /The nearest parameters: limit/],
  ["hang@/experimental/sensors?limt=3", /no operation there has the parameter limt\. The nearest parameters: limit/],
  ["hang@/health?limit", /The nearest parameters: none/],
])("%s can match none and names the nearest", async (text, message) => {
  const { operations } = await loadContract();
  expect(() => checkReach(parseFault(text), operations)).toThrow(message);
});

test.each([
  "moving-list",
  "execution-timeout=10",
  "endless-list",
  "long-names=1kB",
  "wrong-total=1",
  "odd-records=2",
  "text-values",
  "parents=self",
  "twin-ids",
  "swapped-kinds",
])("%s needs a list with pages", async (text) => {
  const { operations } = await loadContract();
  expect(() => checkReach(parseFault(`${text}@*/devices`), operations)).not.toThrow();
  expect(() => checkReach(parseFault(`${text}@/objects/count`), operations)).toThrow("needs a list with pages");
});

test.each([
  ["of one wildcard", "*".repeat(1000), true],
  ["of many wildcards", `/${"*{id}".repeat(190)}*`, true],
  ["of no operation", `/x/${"*a".repeat(498)}`, false],
])("checks a long glob %s", async (_, glob, fits) => {
  const { operations } = await loadContract();
  const check = () => checkReach(parseFault(`hang@${glob}`), operations);
  if (fits) expect(check).not.toThrow();
  else expect(check).toThrow("no operation has the path");
});
