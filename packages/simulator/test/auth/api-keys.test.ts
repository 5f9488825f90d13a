import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ACCESS_LEVELS, effectiveLevel, levelOf, permits, type User, type UserType } from "../../src/auth/accounts.ts";
import { ApiKeys } from "../../src/auth/api-keys.ts";
import { Directory } from "../../src/auth/directory.ts";
import { seededRandom } from "../../src/random.ts";

const NOW = Date.UTC(2026, 2, 12);

function directory(): Directory {
  const administrator = {
    loginName: "admin",
    name: "Admin",
    type: "administrator",
    scope: "everything",
    apiKey: "K",
  } as const;
  return new Directory({
    configured: [administrator],
    scopes: { facility: ["5"], branch: ["2"] },
    now: NOW,
    random: seededRandom(1),
  });
}

function user(type: UserType, acknowledgesAlarms = false): User {
  const { systemAdministrator } = directory();
  return { ...systemAdministrator, type, acknowledgesAlarms, groups: [] };
}

describe("API keys", () => {
  test("come in the order of creation with unique ids", () => {
    const keys = new ApiKeys(seededRandom(2), 10);
    const owner = user("readwrite");
    const made = ["a", "b", "c"].map((name) => keys.create(owner, { name, accessLevel: "READ" }, NOW));
    expect(keys.of(owner).map(({ id, name }) => `${id} ${name}`)).toEqual(["11 a", "12 b", "13 c"]);
    expect(new Set(made.map(({ text }) => text)).size).toBe(3);
    expect(keys.of(user("readwrite"))).toEqual([]);
  });

  test("look like 256 bits in base32", () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const keys = new ApiKeys(seededRandom(seed), 0);
        const { text } = keys.create(user("readonly"), { name: "x", accessLevel: "READ" }, NOW);
        expect(text).toMatch(/^[A-Z2-7]{51}[AQ]={4}$/);
      }),
      { numRuns: 30 },
    );
  });

  test("work until they expire", () => {
    const keys = new ApiKeys(seededRandom(3), 0);
    const { key, text } = keys.create(user("readonly"), { name: "x", accessLevel: "READ", expiresAt: NOW + 10 }, NOW);
    expect(key.lastUsedAt).toBeUndefined();
    expect(keys.use(text, NOW + 9)).toBe(key);
    expect(keys.use(text, NOW + 10)).toBeUndefined();
    expect(key.lastUsedAt).toBe(NOW + 9);
    expect(keys.findByText(text)).toBe(key);
    expect(keys.use("wrong", NOW)).toBeUndefined();
  });

  test("disappear after deletion", () => {
    const keys = new ApiKeys(seededRandom(3), 0);
    const { key, text } = keys.create(user("readonly"), { name: "x", accessLevel: "READ" }, NOW, "given");
    expect(text).toBe("given");
    keys.delete(key);
    expect([keys.find(key.id), keys.findByText("given"), keys.use("given", NOW)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe("access levels of API keys", () => {
  test("include all lower levels", () => {
    for (const [rank, level] of ACCESS_LEVELS.entries()) {
      const permitted = ACCESS_LEVELS.filter((needed) => permits(level, needed));
      expect(permitted).toEqual(ACCESS_LEVELS.slice(0, rank + 1));
    }
  });

  test.each([
    ["administrator", false, "FULL"],
    ["readwrite", false, "FULL"],
    ["readonly", true, "ACKNOWLEDGE"],
    ["readonly", false, "READ"],
  ] as const)("of a %s user (acknowledges: %s) reach at most %s", (type, acknowledges, most) => {
    const owner = user(type, acknowledges);
    expect(levelOf(owner)).toBe(most);
    const keys = new ApiKeys(seededRandom(4), 0);
    for (const accessLevel of ACCESS_LEVELS) {
      const { key } = keys.create(owner, { name: "x", accessLevel }, NOW);
      expect(effectiveLevel(key)).toBe(permits(most, accessLevel) ? accessLevel : most);
    }
  });

  test("include administrator rights for members of an administrator group", () => {
    const [administrators] = directory().groups;
    if (administrators === undefined) throw new Error("no groups");
    expect(levelOf({ ...user("readonly"), groups: [administrators] })).toBe("FULL");
  });
});
