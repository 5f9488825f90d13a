import { describe, expect, test } from "vitest";
import {
  channelsStep,
  type FoundLists,
  limitsStep,
  lookupsStep,
  namesStep,
  nodesStep,
  visibilityStep,
} from "../../../src/cli/check/list-steps.ts";
import type { Step } from "../../../src/cli/check/step.ts";
import type { DecodeProblem } from "../../../src/prtg/decode-problems.ts";
import { READING_ORDER } from "../../../src/prtg/node-record.ts";
import type { MemoryServer } from "../../collectors/memory-server.ts";
import { channel, smallServer } from "../../collectors/small-server.ts";
import { reference } from "../../model/build-record.ts";
import { never } from "../../support/never-aborted.ts";

const LOOKUP = { id: "1", name: "oid.custom.state", entries: [] };

function nothingFound(): FoundLists {
  return { nodes: new Map(), channels: undefined };
}

async function said(step: Step, api: MemoryServer, problems: readonly [DecodeProblem, number][] = []): Promise<string> {
  const { status = "ok", text } = await step.run({
    api,
    signal: never,
    problems: () => new Map(problems),
  });
  return `${status}: ${text}`;
}

/** After the steps of all lists of objects. */
async function withNodes(api: MemoryServer): Promise<FoundLists> {
  const found = nothingFound();
  for (const kind of READING_ORDER) await said(nodesStep(kind, {}, found), api);
  return found;
}

describe("step of a list of objects", () => {
  const sensors = () => nodesStep("sensor", {}, nothingFound());

  test("counts visible or selected objects and keeps them for later steps", async () => {
    const found = nothingFound();
    expect(await said(nodesStep("sensor", {}, found), smallServer())).toBe("ok: 2 visible");
    expect(await said(nodesStep("group", {}, found, false), smallServer())).toBe("ok: 1 selected");
    expect([...found.nodes].map(([kind, items]) => [kind, items.map(({ id }) => id)])).toEqual([
      ["sensor", ["50", "51"]],
      ["group", ["10"]],
    ]);
  });

  test("fails if the user sees no sensors, unless the configuration selects a part", async () => {
    const api = smallServer();
    api.remove("50", "51");
    await expect(said(sensors(), api)).rejects.toMatchObject({ code: "API_FORBIDDEN" });
    expect(await said(nodesStep("sensor", {}, nothingFound(), false), api)).toBe("ok: 0 selected");
    api.remove("10");
    expect(await said(nodesStep("group", {}, nothingFound()), api)).toBe("ok: 0 visible");
  });

  test("warns of a list that changed during the read", async () => {
    const api = smallServer();
    api.incomplete.add("sensor");
    expect(await said(sensors(), api)).toMatch(/^warning: 2 visible; the list changed twice during the read/);
  });

  test("warns of data that the server refuses", async () => {
    const api = smallServer();
    const nodes = async () => ({ items: [], complete: true, skipped: 1, refused: ["statussummary", "other"] });
    const { text, status } = await sensors().run({
      api: Object.assign(api, { nodes }),
      signal: new AbortController().signal,
      problems: () => new Map([["record", 1] as const]),
    });
    expect(status).toBe("warning");
    expect(text).toMatch(/^0 visible; the server refuses to include .*, other: its data is missing$/);
  });

  test("does not blame the rights of the user if the exporter skipped all sensors", async () => {
    const api = smallServer();
    const nodes = async () => ({ items: [], complete: true, skipped: 3 });
    expect(await said(sensors(), Object.assign(api, { nodes }), [["record", 3]])).toMatch(
      /^warning: 0 visible; 3 records are invalid/,
    );
  });

  test("warns of records that the exporter cannot use", async () => {
    const problems: [DecodeProblem, number][] = [
      ["record", 2],
      ["secret", 1],
    ];
    const text = await said(sensors(), smallServer(), problems);
    expect(text).toMatch(/^warning: 2 visible; 2 records are invalid and dropped, 1 texts contain a key/);
  });
});

describe("step of the visible tree", () => {
  test("accepts a tree in which all parents are visible", async () => {
    const found = await withNodes(smallServer());
    expect(await said(visibilityStep(found), smallServer())).toBe("ok: the user can see the parents of all objects");
  });

  test("warns of objects whose parents are hidden", async () => {
    const api = smallServer();
    api.change("40", { parent: reference("99") });
    expect(await said(visibilityStep(await withNodes(api)), api)).toMatch(
      /^warning: the user cannot see the parents of 1 of 5 objects/,
    );
  });

  test("is skipped without all lists", async () => {
    const found = await withNodes(smallServer());
    found.nodes.delete("group");
    expect(await said(visibilityStep(found), smallServer())).toMatch(/^skipped: unknown/);
  });
});

describe("step of names", () => {
  async function names(...channels: { readonly id: string; readonly name: string }[]): Promise<string> {
    const api = smallServer();
    api.change("50", { type: "ping" });
    api.channelRecords = channels.map(({ id, name }) => channel(id, { name, unit: "msec" }));
    const found = await withNodes(api);
    await said(channelsStep(found), api);
    return said(namesStep(found), api);
  }

  test("is skipped without the list of channels", async () => {
    expect(await said(namesStep(nothingFound()), smallServer())).toBe("skipped: needs the list of channels");
  });

  test("accepts names that presets have, other kinds, and channels without a visible sensor", async () => {
    const others = [
      { id: "51.0", name: "Orders" },
      { id: "99.0", name: "Laufzeit" },
    ];
    expect(await names({ id: "50.0", name: "Ping Time" }, ...others)).toBe(
      "ok: the presets match all channels of known sensor kinds",
    );
  });

  test("names a channel that no preset knows", async () => {
    expect(await names({ id: "50.0", name: "Laufzeit" })).toBe(
      'ok: no preset matches some channels of 1 known sensor kinds, such as ping: "Laufzeit" in "msec"',
    );
  });
});

describe("step of channels", () => {
  test("counts channels with and without a value", async () => {
    const api = smallServer();
    api.channelRecords.push(channel("51.1", { value: undefined }));
    const found = nothingFound();
    expect(await said(channelsStep(found), api)).toBe("ok: 4 visible, 3 with a value");
    expect([...(found.channels ?? [])]).toHaveLength(4);
  });

  test("warns of a share of values that are not numbers, and fails if none is a number", async () => {
    const api = smallServer();
    expect(await said(channelsStep(nothingFound()), api, [["value", 1]])).toBe(
      "warning: 3 visible, 3 with a value; 1 values (25 %) are not numbers in their unit and have no series",
    );
    expect(await said(channelsStep(nothingFound()), api, [["value", 3]])).toContain("3 values (50 %)");
    api.channelRecords = Array.from({ length: 300 }, (_, index) => channel(`50.${index}`));
    expect(await said(channelsStep(nothingFound()), api, [["value", 1]])).toContain("1 values (1 %)");
    api.channelRecords = smallServer().channelRecords.map((each) => ({ ...each, value: undefined }));
    await expect(said(channelsStep(nothingFound()), api, [["value", 3]])).rejects.toMatchObject({
      code: "API_VALUES_UNREADABLE",
      message: "3 visible, but none of 3 values is a number",
    });
  });

  test("fails if the user sees sensors without channels", async () => {
    const api = smallServer();
    const found = await withNodes(api);
    api.channelRecords = [];
    await expect(said(channelsStep(found), api)).rejects.toMatchObject({ code: "API_VALUES_UNREADABLE" });
    expect(await said(channelsStep(nothingFound()), api)).toBe("ok: 0 visible, 0 with a value");
  });
});

describe("steps of lookups and limits", () => {
  test("name the consequence if the server has no lookups", async () => {
    const found = { lookups: false };
    expect(await said(lookupsStep(found), smallServer())).toBe(
      "ok: not offered by this server: channel states are missing",
    );
    expect(found.lookups).toBe(false);
  });

  test.each([
    { count: 0, lookups: false, asked: "limits alerting" },
    { count: 2, lookups: true, asked: "limits alerting values" },
  ])("read the states of channels only if there are lookups: $count", async ({ count, lookups, asked }) => {
    const api = smallServer();
    api.lookupDefinitions = Array<typeof LOOKUP>(count).fill(LOOKUP);
    const found = { lookups: false };
    expect(await said(lookupsStep(found), api)).toBe(`ok: ${count} visible`);
    expect(found.lookups).toBe(lookups);
    await said(limitsStep(found), api);
    expect(api.asked.at(-1)).toBe(asked);
  });

  test("count channels with limits, and warn of a server that sends none", async () => {
    const api = smallServer();
    expect(await said(limitsStep({ lookups: false }), api)).toBe("warning: the server sends no limits");
    api.channelRecords = [
      channel("50.0", { limits: { max_error: 90 } }),
      channel("50.1", { limits: {} }),
      channel("51.0", {}),
    ];
    expect(await said(limitsStep({ lookups: false }), api)).toBe("ok: 1 of 3 channels have limits");
    api.channelRecords = [];
    expect(await said(limitsStep({ lookups: false }), api)).toBe("ok: 0 of 0 channels have limits");
  });
});
