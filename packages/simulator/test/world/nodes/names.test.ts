import { expect, test } from "vitest";
import type { World } from "../../../src/world/model.ts";
import { deviceName, hostileNaming, hostName } from "../../../src/world/nodes/names.ts";
import { createWorld } from "../../../src/world/world.ts";

const SALTS = Array.from({ length: 20_000 }, (_, index) => Math.imul(index + 1, 0x9e3779b1) >>> 0);

test("about one name in a hundred is hostile", () => {
  const changed = SALTS.filter((salt) => hostileNaming("Ping v2", salt) !== "Ping v2");
  expect(changed.length / SALTS.length).toBeGreaterThan(0.008);
  expect(changed.length / SALTS.length).toBeLessThan(0.014);
});

test("a hostile name contains the name and is well-formed Unicode without null characters", () => {
  for (const name of new Set(SALTS.map((salt) => hostileNaming("Ping v2", salt)))) {
    expect(name).toContain("Ping v2");
    expect(name.isWellFormed()).toBe(true);
    expect(name).not.toContain("\0");
  }
});

test("a world has hostile names by default, and plain names change nothing else", () => {
  const options = { seed: 3, size: { sensors: 400 }, startedAt: Date.UTC(2026, 2, 12) };
  const [hostile, plain] = [createWorld(options), createWorld({ ...options, plainNames: true })];
  const namesOf = (world: World) =>
    [
      ...(["group", "device", "sensor"] as const).flatMap((kind) => world.list(kind as "group")),
      ...world.channels(),
    ].map(({ name }) => name);
  const plainNames = namesOf(plain);
  const pairs = namesOf(hostile).map((name, at) => [name, plainNames[at] ?? ""] as const);
  const different = pairs.filter(([one, other]) => one !== other);
  expect(different.length).toBeGreaterThan(10);
  for (const [one, other] of different) expect(one).toContain(other);
  for (const [, name] of pairs) expect(name).toMatch(/^[\p{L}\d_ .,:;()/%°µ#+&>*\\-]+$/u);
});

test("devices have numbers, and some share a name, like clones", () => {
  const names = SALTS.slice(0, 4000).map((salt, index) => deviceName("core-sw", index, salt));
  expect(names).toContain("core-sw-17");
  expect(names.filter((name) => name === "core-sw-1").length).toBeGreaterThan(50);
});

test("hosts are addresses and names", () => {
  const hosts = SALTS.slice(0, 400).map((salt, index) => hostName("core-sw", "fra", 3, index, salt));
  expect(hosts.some((host) => /^10\.3\.[01]\.\d+$/.test(host))).toBe(true);
  expect(hosts.some((host) => /^fd00:13:[01]::[\da-f]+$/.test(host))).toBe(true);
  expect(hosts.some((host) => /^core-sw-\d+\.fra\.example\.net$/.test(host))).toBe(true);
});
