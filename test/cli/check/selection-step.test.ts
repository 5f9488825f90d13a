import { pino } from "pino";
import type { World } from "prtg-simulator/src/world/model.ts";
import { describe, expect, test } from "vitest";
import { channelsStep, type FoundLists, nodesStep, selectionStep } from "../../../src/cli/check/list-steps.ts";
import type { SelectRule } from "../../../src/config/select-schema.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { READING_ORDER } from "../../../src/prtg/node-record.ts";
import { SelectedApi } from "../../../src/selection/selected-api.ts";
import { testClient } from "../../prtg/support/test-client.ts";
import { never } from "../../support/never-aborted.ts";
import { CREDENTIALS, simulateServer } from "../../support/simulated-server.ts";

type Included = (world: World) => readonly SelectRule[];

/** `include` undefined: no selection. */
async function checked(include: Included | undefined, faults: readonly string[] = []) {
  const { url, world } = await simulateServer({ faults });
  const { api: whole } = testClient(url, { auth: { kind: "api_key", key: async () => CREDENTIALS.apiKey } });
  const rules = { include: include?.(world) ?? [], exclude: [] };
  const log = pino({ level: "silent" });
  const api = include === undefined ? whole : new SelectedApi({ api: whole, rules, clock: systemClock, log });
  const found: FoundLists = { nodes: new Map(), channels: undefined };
  const lists = READING_ORDER.toReversed().map((kind) => nodesStep(kind, {}, found, false));
  const tools = { api, signal: never, problems: () => new Map() };
  for (const { run } of [...lists, channelsStep(found)]) await run(tools);
  const { text, status = "ok" } = await selectionStep(found).run(tools);
  const ofTotal = `${found.nodes.get("sensor")?.length} of ${world.list("sensor").length} sensors`;
  return { said: `${status}: ${text}`, ofTotal };
}

const aDevice: Included = (world) => [{ kind: "id", id: world.list("device")[3]?.id ?? "" }];

describe("selection step", () => {
  test("accepts a server that filters", async () => {
    const { said, ofTotal } = await checked(aDevice);
    expect(said).toBe(`ok: ${ofTotal}; the server filters`);
    expect(ofTotal).not.toMatch(/^0 /);
  });

  test("accepts a server that refuses to filter", async () => {
    const { said, ofTotal } = await checked(aDevice, ["refuses=filter"]);
    expect(said).toMatch(`warning: ${ofTotal}; the server cannot filter by descendants`);
  });

  test("accepts a selection so large that whole lists are cheaper", async () => {
    const { said, ofTotal } = await checked((world) => world.list("probe").map(({ id }) => ({ kind: "id", id })));
    expect(said).toBe(`ok: ${ofTotal}; the exporter reads whole lists and filters itself`);
  });

  test("warns of an empty selection", async () => {
    expect((await checked(() => [{ kind: "tag", tag: "of-none" }])).said).toMatch(/^warning: no sensor is selected/);
  });

  test("warns of a filter that excludes nothing", async () => {
    const { said, ofTotal } = await checked(() => [{ kind: "filter", filter: 'not (id = "1")' }]);
    expect(said).toBe(`warning: ${ofTotal}: the filter excludes none`);
  });

  test("skips a configuration without selection", async () => {
    expect((await checked(undefined)).said).toBe("skipped: all objects are selected");
  });
});
