import { expect, test } from "vitest";
import type { SimChannel } from "../../../../src/world/model.ts";
import { startService } from "../../../support/running-service.ts";
import { NOW, StaticWorld } from "../../../support/static-world.ts";

test("a channel without a measurement does not hide the other channels", async () => {
  const world = new StaticWorld();
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
