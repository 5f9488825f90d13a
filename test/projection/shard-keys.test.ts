import { expect, test } from "vitest";
import type { SeriesTable } from "../../src/store/series-table.ts";
import { SERVER_WIDE, shardKeyOf } from "../../src/store/shard-key.ts";
import { memoryPipeline, SCHEDULED_WITH_DETAILS } from "../collectors/memory-pipeline.ts";
import { smallServer } from "../collectors/small-server.ts";
import { record } from "../model/build-record.ts";
import { never } from "../support/never-aborted.ts";

const OWNERS = new Map([
  [SERVER_WIDE, "server"],
  ...["1", "10", "40", "41"].map((id) => [shardKeyOf("hq", id), id] as const),
]);

/** The owner of each series with one of these labels, by family. `id` or `sensor_id`: the object of the series. */
function ownersOf(tables: Iterable<SeriesTable>): string[] {
  const found = new Set<string>();
  for (const table of tables) {
    const { labels } = table.family;
    const column = Math.max(labels.indexOf("sensor_id"), labels.indexOf("device_id"), labels.indexOf("id"));
    for (let slot = 0; slot < table.slots; slot++) {
      if (!table.isPresent(slot)) continue;
      const object = column === -1 ? "server" : table.label(slot, column);
      found.add(`${object} in ${OWNERS.get(table.shardKey(slot))}`);
    }
  }
  return [...found].toSorted();
}

test("a device is in one shard with its sensors and channels, also after a move", async () => {
  const server = smallServer();
  server.put(record("device", "41", "10"));
  server.licenseUse = { used: 2, max: 100, expiresAt: undefined };
  server.connected.set("1", true);
  server.primary = server.channelRecords.slice(1, 2);
  server.lookupDefinitions = [];
  for (const [index, each] of server.channelRecords.entries()) {
    server.channelRecords[index] = { ...each, limits: { max_error: 90 } };
  }
  const { monitor, store } = memoryPipeline(server, { schedules: SCHEDULED_WITH_DETAILS, channelInfo: true });
  await monitor.pollOnce(never);
  const before = ["1 in 1", "10 in 10", "40 in 40", "41 in 41", "50 in 40", "51 in 40", "server in server"];
  expect(ownersOf(store.tables)).toEqual(before);
  server.change("51", { parent: { id: "41", name: undefined, kind: undefined } });
  await monitor.pollOnce(never);
  expect(ownersOf(store.tables)).toEqual(before.map((each) => (each === "51 in 40" ? "51 in 41" : each)));
});

test("outages of groups are in no shard of a device, so that a limited page keeps them", async () => {
  const server = smallServer();
  server.put(record("device", "41", "10"), record("sensor", "52", "40"), record("sensor", "53", "41"));
  for (const id of ["50", "51", "52", "53"]) server.change(id, { status: "down" });
  const { monitor, store } = memoryPipeline(server);
  await monitor.pollOnce(never);
  const owners = () => ownersOf([...store.tables].filter(({ family }) => family.name.startsWith("prtg_outage")));
  expect(owners()).toEqual(["1 in server", "40 in 40", "41 in 41"]);
  server.change("53", { status: "up" });
  server.put(...["54", "55", "56", "57"].map((id) => record("sensor", id, "41", { status: "up" })));
  await monitor.pollOnce(never);
  await monitor.pollOnce(never);
  expect(owners()).toEqual(["40 in 40"]);
});
