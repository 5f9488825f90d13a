import { describe, expect, test } from "vitest";
import { EVERYTHING } from "../../../src/auth/visibility.ts";
import { compileFilter } from "../../../src/filter/compile.ts";
import { TreeContext } from "../../../src/filter/objects/context.ts";
import { VOCABULARY } from "../../../src/filter/vocabulary.ts";
import type { World } from "../../../src/world/model.ts";
import { idOf } from "../../../src/world/objects.ts";
import { lookupOf } from "../../../src/world/sensors/lookups.ts";
import { UNITS } from "../../../src/world/sensors/units.ts";
import { createWorld } from "../../../src/world/world.ts";
import { NOW, StaticWorld } from "../../support/static-world.ts";
import { everythingOf, scopeOf } from "../../support/tree-filter.ts";

const staticWorld = new StaticWorld();
const NODES = "1 2 10 11 20 100 101 200 1000 1001 1002 2000";
const DAY_S = 86_400;

function select(filter: string, world: World = staticWorld): string {
  return everythingOf(world)
    .filter(compileFilter(filter, scopeOf(world, "specification")))
    .map(idOf)
    .join(" ");
}

describe("earlier properties of tree objects", () => {
  test.each([
    ["active = false", "1002"],
    ["active = true and type = sensor", "1000 1001 2000"],
    ["active = nil", "1000.0 1000.-4 1001.1 1001.2 1002.0 2000.3"],
    ["authorized = true", "1 2"],
    ["authorized = nil and type = probe", ""],
    ["clusterprobe = false and clusterremoteprobe = false", "1 2"],
    ["restrictedsensormode = false and smallprobe = false", "1 2"],
    ["clusterprobe = true or smallprobe = true", ""],
    ["probestatus = connected", "1 2"],
    ["probestatus = disconnected", ""],
    ["probestatusinfo = none", "1 2"],
    ["autodiscoveryactive = false", "1 2 10 11 20 100 101 200"],
    ["limitmaxerror > 249.5", "1000.0"],
    ["limitmaxerror >= 250", "1000.0"],
    ["limitmaxerror < 250", ""],
    ["limitmaxerror <= 250.0", "1000.0"],
    ["limitmaxerror = 250", "1000.0"],
    ["limitminwarning = 0.5", "1000.0"],
    ["limitmaxwarning != nil", ""],
    ["limitminerror = nil and type = channel", "1000.0 1000.-4 1001.1 1001.2 1002.0 2000.3"],
    // No value in the last scan, or another unit.
    ["percent != nil", "1000.-4"],
    ["percent < 1", "1000.-4"],
    ["performanceimpact = 1", "1000"],
    ["performanceimpact != nil", "1000 1001 1002 2000"],
    ["priority = 5", "1000"],
    ["priority < 5", NODES.replace(" 1000 ", " ")],
    ["priority > 3", "1000"],
    ["scanninginterval <= 30s", "1001"],
    ['message = "OK" and type = sensor', "1000"],
    ['message matches "No"', "1001 2000"],
    ['message matches "no"', ""],
    ['message matches "" and type = device', "100 101 200"],
    ['message != "OK" and type = sensor', "1001 1002 2000"],
    ['tags contains "wan"', "1001"],
    ['sensorkind = "paessler.cpu"', "1002"],
    ['sensorkind = "paessler.cpu.65"', "1002"],
    ['sensorkind != "ping" and type = sensor', "1001 1002 2000"],
    ['sensorkind matches "snmp"', "1001 2000"],
    ['sensorkindname = "SNMP Traffic"', "1001"],
    ['sensorkindname matches "Ping"', "1000"],
    ["unittype = 1", "1000.-4 2000.3"],
    ["unittype != nil", "1000.0 1000.-4 1001.1 1001.2 1002.0 2000.3"],
    ["lookupdefinitionid != nil", ""],
  ])("%s", (filter, ids) => {
    expect(select(filter)).toBe(ids);
  });

  // Properties of accounts, empty ones, and inactive jobs.
  test.each([
    ...["activedirectory", "admingroup", "ticketmail", "ticketmode", "autodiscoveryprogress", "comment", "location"],
    ...["email", "loginname", "primarygroup", "crossreference", "usertype"],
  ])("no object has a value for %s", (name) => {
    expect(select(`${name} != nil`)).toBe("");
  });
});

test("the host counts as DNS name unless it is an address", () => {
  const world = new StaticWorld();
  const [first, second, third] = world.list("device");
  Object.assign(first ?? {}, { host: "core.example.net" });
  Object.assign(second ?? {}, { host: "fd00::1" });
  expect(third?.host).toBe("10.2.0.9");
  expect(select("dnsname != nil", world)).toBe("100");
  expect(select('dnsname matches "example"', world)).toBe("100");
});

describe("earlier properties in a large world", () => {
  const world = createWorld({ seed: 5, size: { sensors: 600 }, startedAt: NOW });
  const scope = scopeOf(world, "specification");

  test("uptime and downtime fill the time since the creation of the sensor, and grow with it", () => {
    const [up, down, coverage] = ["uptimetotal", "downtimetotal", "coverage"].map((name) => scope.properties.get(name));
    const later = new TreeContext(world, NOW + DAY_S * 1000, EVERYTHING);
    let downTogether = 0;
    for (const sensor of world.list("sensor")) {
      const read = (property = up, moment = scope.context) => Number(property?.read(sensor, moment));
      if (up?.read(sensor, scope.context) === undefined) continue;
      const age = (NOW - world.schedule(sensor).first) / 1000;
      expect(read(up) + read(down)).toBeCloseTo((age * read(coverage)) / 100, 3);
      expect(read(coverage)).toBeGreaterThan(90);
      expect(read(coverage)).toBeLessThanOrEqual(100);
      expect(read(up, later)).toBeGreaterThan(read(up));
      expect(read(down, later)).toBeGreaterThanOrEqual(read(down));
      expect(read(up, later) - read(up)).toBeLessThanOrEqual(DAY_S);
      downTogether += read(down);
    }
    expect(downTogether).toBeGreaterThan(0);
    expect(select("uptimetotal > 0s and type != sensor", world)).toBe("");
  });

  test("every unit of channels has its number", () => {
    const [channel = expect.fail("no channel")] = world.channels();
    const units = new Set(Object.values(UNITS).map(({ type }) => type));
    const read = (unitType: string) => scope.properties.get("unittype")?.read({ ...channel, unitType }, scope.context);
    const numbers = [...units].map(read);
    expect(numbers).not.toContain(undefined);
    expect(new Set(numbers).size).toBe(units.size);
    expect(read("NEWER")).toBeUndefined();
  });

  test("channels with a lookup name it", () => {
    const named = select("lookupdefinitionid != nil and lookuptype != nil", world);
    const expected = world.channels().filter((channel) => lookupOf(channel) !== undefined);
    expect(expected.length).toBeGreaterThan(5);
    expect(named).toBe(expected.map(idOf).join(" "));
  });

  test.each(Object.keys(VOCABULARY))("%s stays constant during a request", (name) => {
    const property = scope.properties.get(name);
    for (const subject of everythingOf(world).filter((_, index) => index % 9 === 0)) {
      const [once, twice] = [property?.read(subject, scope.context), property?.read(subject, scope.context)];
      if (name !== "descendants") expect(twice).toEqual(once);
    }
  });
});
