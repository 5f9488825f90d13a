import { pino } from "pino";
import { describe, expect, test } from "vitest";
import { onlySensor, recordServer, sensorIn, treeOf } from "../../../src/cli/map/mapped-server.ts";
import type { MemoryServer } from "../../collectors/memory-server.ts";
import { smallServer } from "../../collectors/small-server.ts";
import { never } from "../../support/never-aborted.ts";

async function recorded(api: MemoryServer) {
  const warnings: string[] = [];
  const log = pino({ level: "warn" }, { write: (line: string) => void warnings.push(JSON.parse(line).msg) });
  const server = await recordServer("hq", api, log, never);
  const ids = server.nodes.map(({ id }) => id).toSorted();
  return {
    server,
    ids,
    channels: server.channels.map(({ sensorId, channelId }) => `${sensorId}.${channelId}`),
    warnings,
  };
}

describe("recordServer", () => {
  test("has all objects and channels", async () => {
    expect(await recorded(smallServer())).toMatchObject({
      ...{ server: { name: "hq" }, ids: ["1", "10", "40", "50", "51"] },
      ...{ channels: ["50.0", "50.1", "51.0"], warnings: [] },
    });
  });

  test("continues without a list that the server lacks", async () => {
    const api = smallServer();
    api.fail("API_ENDPOINT_MISSING", "group");
    const { ids, warnings } = await recorded(api);
    expect(ids).toEqual(["1", "40", "50", "51"]);
    expect(warnings[0]).toContain("continuing without the list of groups");
  });

  test("fails without the sensors or the channels", async () => {
    for (const question of ["sensor", "channels"] as const) {
      const api = smallServer();
      api.fail("API_TIMEOUT", question);
      await expect(recorded(api)).rejects.toMatchObject({ code: "API_TIMEOUT" });
    }
  });

  test.each(["device", "channels"] as const)("warns if the list changed during the read: %s", async (question) => {
    const api = smallServer();
    api.incomplete.add(question);
    const { warnings } = await recorded(api);
    expect(warnings).toEqual(["the lists changed while they were read: some objects may be missing"]);
  });
});

describe("recorded server", () => {
  test("gives the tree of its objects", async () => {
    const tree = treeOf((await recorded(smallServer())).server);
    expect(tree.nodes.get("51")).toMatchObject({ kind: "sensor", name: "Ping", parentId: "40" });
    expect(sensorIn(tree, "51")?.name).toBe("Ping");
    expect(sensorIn(tree, "40")).toBeUndefined();
    expect(sensorIn(tree, "99")).toBeUndefined();
  });

  test("can be reduced to one sensor with the objects above it", async () => {
    const { server } = await recorded(smallServer());
    const { name, nodes, channels } = onlySensor(server, treeOf(server), "51");
    expect(name).toBe("hq");
    expect(nodes.map(({ id }) => id).toSorted()).toEqual(["1", "10", "40", "51"]);
    expect(channels.map(({ sensorId }) => sensorId)).toEqual(["51"]);
  });
});
