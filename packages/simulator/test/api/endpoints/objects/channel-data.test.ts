import { describe, expect, test } from "vitest";
import type { SpellingName } from "../../../../src/records/spelling.ts";
import type { SimChannel } from "../../../../src/world/model.ts";
import { query, type RunningService, startService } from "../../../support/running-service.ts";
import { NOW, TinyWorld } from "../../../support/tiny-world.ts";

const SPELLINGS: readonly SpellingName[] = ["specification", "live"];

interface Datum {
  readonly channel: { readonly id: string };
}

interface Channel {
  readonly last_measurement?: unknown;
  readonly basic: { readonly unittype: string };
}

async function channels({ send }: RunningService, path: string): Promise<string> {
  const { status, json, text } = await send(path);
  expect(status, text).toBe(200);
  return (json as Datum[]).map(({ channel }) => channel.id).join(" ");
}

describe.each(SPELLINGS)("%s: channel data", (spelling) => {
  test.each([
    ["/channels/data", "1000.0 1000.-4 1001.1 1001.2 1002.0 2000.3"],
    ["/channels/data?limit=2&offset=1", "1000.-4 1001.1"],
    ["/channels/data?sort_by=-id", "2000.3 1002.0 1001.2 1001.1 1000.0 1000.-4"],
    [`/channels/data${query({ filter: 'primary = true and parentid != "1002"' })}`, "1000.0 1001.1 2000.3"],
    [`/channels/data${query({ filter: 'descendants id = "101"' })}`, "1002.0"],
    ["/sensors/1001/data", "1001.1 1001.2"],
    ["/sensors/1001/data?limit=1&offset=1", "1001.2"],
    ["/sensors/1001/data?sort_by=-name", "1001.2 1001.1"],
    [`/sensors/1001/data${query({ filter: "primary = false" })}`, "1001.2"],
    [`/sensors/1000/data${query({ filter: "limitmaxerror > 100", sort_by: "name" })}`, "1000.0"],
    // Its only channel was scanned without a value.
    ["/sensors/2000/data", "2000.3"],
  ])("GET %s", async (path, ids) => {
    expect(await channels(await startService({ spelling }), path)).toBe(ids);
  });

  test("equals the last measurement of the channel", async () => {
    const { send } = await startService({ spelling });
    for (const { channel, ...measurement } of (await send("/channels/data")).json as Datum[]) {
      const { last_measurement, basic } = (await send(`/channels/${channel.id}`)).json as Channel;
      const unit = { type: basic.unittype };
      expect(measurement).toEqual(spelling === "live" ? { last_measurement, unit } : (last_measurement ?? {}));
    }
  });

  test("includes only visible channels", async () => {
    const service = await startService({ spelling });
    expect(((await service.send("/channels/data", { bearer: "RESTRICTED" })).json as Datum[]).length).toBe(5);
    expect((await service.send("/sensors/1002/data", { bearer: "RESTRICTED" })).status).toBe(404);
  });
});

test("a channel without a measurement does not hide the other channels", async () => {
  const world = new TinyWorld();
  const channels = world.list("sensor")[2]?.channels as SimChannel[];
  const [total = expect.fail("no channel")] = channels;
  const second = { ...total, number: 7 };
  channels.push(second);
  world.measure(second, { at: NOW, displayValue: 5, value: 5 });
  const { send } = await startService({ spelling: "live", world });
  expect((await send("/sensors/1002/data")).json).toEqual([
    { channel: expect.objectContaining({ id: "1002.0" }), last_measurement: null, unit: { type: "CPU" } },
    expect.objectContaining({
      channel: expect.objectContaining({ id: "1002.7" }),
      last_measurement: expect.objectContaining({ value: 5 }),
    }),
  ]);
});

test("a record links to its channel", async () => {
  const { send } = await startService({ spelling: "live" });
  expect((await send("/sensors/1001/data?limit=1")).json).toEqual([
    {
      channel: { id: "1001.1", type: "REFERENCED_CHANNEL", name: "Traffic In", href: "/api/v2/channels/1001.1" },
      last_measurement: {
        timestamp: "2026-03-12T17:55:00Z",
        value: 62_500,
        display_value: 0.5,
        minimum: 62_500,
        maximum: 62_500,
        average: 62_500,
        display_volume: 15,
      },
      unit: { type: "BYTES_BANDWIDTH" },
    },
  ]);
});
