import { describe, expect, test } from "vitest";
import type { SpellingName } from "../../src/records/spelling.ts";
import { createWorld } from "../../src/world/world.ts";
import { query, startService } from "../support/running-service.ts";
import { NOW } from "../support/static-world.ts";

const SPELLINGS: readonly SpellingName[] = ["specification", "live"];

const SORTABLE = ["/probes", "/groups", "/devices", "/sensors", "/sensors/alarms", "/channels", "/channels/data"];
const LISTS = [
  ...SORTABLE,
  ...["/objects", "/sensors/1001/data"],
  ...["probes", "groups", "devices", "sensors", "channels", "objects"].map((kind) => `/experimental/${kind}`),
];

describe.each(SPELLINGS)("%s: lists", (spelling) => {
  test("every list supports both property sets", async () => {
    const { send } = await startService({ spelling });
    for (const path of LISTS) {
      const none = 'email = "x" and basic.host = "x" and ancestors contains "x" and usertype = readonly';
      expect(await send(path + query({ filter: none }))).toMatchObject({ status: 200, json: [] });
    }
  });

  test("lists answer filters of the greatest length and depth", async () => {
    const { send } = await startService({ spelling });
    const code = async (filter: string) => {
      const { json } = await send(`/experimental/channels?filter=${filter.replaceAll(" ", "+")}`);
      return Array.isArray(json) ? "list" : (json as { code: string }).code;
    };
    expect(await code(`${"(".repeat(7000)}primary=true${")".repeat(7000)}`)).toBe("INVALID_FILTER");
    expect(await code(`${"not ".repeat(3000)}primary=true`)).toBe("INVALID_FILTER");
    expect(await code(`${"descendants ".repeat(1200)}primary=true`)).toBe("INVALID_FILTER");
    expect(await code("[".repeat(14_000))).toBe("INVALID_FILTER");
    expect(await code(`primary=true${" or primary=true".repeat(900)}`)).toBe("list");
    expect(await code(`name in ["x"${',"x"'.repeat(3000)}]`.replaceAll('"', "%22").slice(0, 14_000))).toBe(
      "INVALID_FILTER",
    );
  });

  test("deprecated lists sort by any property and refuse unknown ones", async () => {
    const { send } = await startService({ spelling });
    for (const path of SORTABLE) {
      expect((await send(`${path}?sort_by=-priority,%2Bname,uptimetotal`)).status).toBe(200);
      for (const wrong of ["colour", "tags", "name,,id"]) {
        expect(await send(`${path}?sort_by=${wrong}`)).toMatchObject({ status: 400, json: { code: "BAD_REQUEST" } });
      }
    }
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
