import { expect, test } from "vitest";
import { deviceLookup } from "../../src/app/device-lookup.ts";
import { memoryPipeline } from "../collectors/memory-pipeline.ts";
import { smallServer } from "../collectors/small-server.ts";
import { never } from "../support/never-aborted.ts";

test("finds devices by their id and by their sensors, per server", async () => {
  const { monitor } = memoryPipeline(smallServer());
  await monitor.pollOnce(never);
  const lookup = deviceLookup((server) => (server === "hq" ? monitor.view.state : undefined));
  const found = (each: { readonly name: string } | undefined) => each?.name;
  expect(["40", "10", "50", "99"].map((id) => found(lookup.device("hq", id)))).toEqual([
    "sw-1",
    undefined,
    undefined,
    undefined,
  ]);
  expect(["50", "51", "40", "99"].map((id) => found(lookup.ofSensor("hq", id)))).toEqual([
    "sw-1",
    "sw-1",
    undefined,
    undefined,
  ]);
  expect([lookup.device("dc", "40"), lookup.ofSensor("dc", "50")]).toEqual([undefined, undefined]);
});
