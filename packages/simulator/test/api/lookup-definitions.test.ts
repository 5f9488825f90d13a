import { expect, test } from "vitest";
import { createWorld } from "../../src/world/world.ts";
import { query, startService } from "../support/running-service.ts";
import { NOW } from "../support/static-world.ts";

test("the lookup that a channel names exists", async () => {
  const world = createWorld({ seed: 1, size: { sensors: 200 }, startedAt: NOW });
  const { send } = await startService({ world });
  const filter = query({ filter: "lookupdefinitionid != nil", include: "values", limit: "1" });
  const { json } = await send(`/experimental/channels${filter}`);
  const [channel] = json as { values: { lookup: string } }[];
  const lookup = await send(`/lookup-definitions/${channel?.values.lookup}`);
  expect(lookup.json).toMatchObject({ id: channel?.values.lookup, values: expect.any(Array) });
});
