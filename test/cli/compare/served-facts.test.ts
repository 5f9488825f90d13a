import { expect, test } from "vitest";
import { createMetricsPage } from "../../../src/app/metrics-page.ts";
import { readServed, type ServedSources } from "../../../src/cli/compare/served-facts.ts";
import type { ComparedObject } from "../../../src/cli/compare/verdict.ts";
import { plainMapper } from "../../../src/mapping/channel-mapper.ts";
import { memoryPipeline } from "../../collectors/memory-pipeline.ts";
import { channel, smallServer } from "../../collectors/small-server.ts";
import { testContext } from "../../support/simulated-exporter.ts";

const SINCE = Date.UTC(2026, 0, 15, 11, 30);
const sensor = (sensorId: string): ComparedObject => ({ sensorId, channelId: undefined });

/** Objects of a server after one poll, as a page has them that arrives in parts of these bytes. */
async function served(objects: readonly ComparedObject[], part: number) {
  const server = smallServer();
  server.change("50", { status: "down", statusSince: SINCE, name: 'Üplink "a b" \\' });
  server.change("51", { status: "pausedbyuser" });
  server.channelRecords.push(channel("50.2", { unit: "", value: undefined }));
  const { monitor, store, clock } = memoryPipeline(server);
  await monitor.pollOnce(new AbortController().signal);
  const { exposition } = createMetricsPage(
    store,
    { maxSeries: undefined, maxBytes: undefined },
    {
      ...testContext(),
      clock,
    },
  );
  const inParts: Pick<typeof exposition, "page" | "refresh"> = {
    refresh: () => exposition.refresh(),
    page: async (...asked) => {
      const page = Buffer.concat(await exposition.page(...asked));
      return Array.from({ length: Math.ceil(page.length / part) }, (_, at) =>
        page.subarray(at * part, (at + 1) * part),
      );
    },
  };
  const exporter = { exposition: inParts } as unknown as ServedSources["exporter"];
  const facts = await readServed({ exporter, monitor, mapper: plainMapper() }, objects, clock.monotonic());
  return { facts: objects.map((object) => facts.get(object)), measured: new Date(clock.now()).toISOString() };
}

test.each([1, 1_000_000])("sensors have the status and time of the page, in parts of %i bytes", async (part) => {
  const { facts } = await served([sensor("50"), sensor("51")], part);
  expect(facts).toEqual([
    { time: "2026-01-15T11:30:00.000Z", facts: [{ kind: "status", metric: "", text: "down" }] },
    { time: undefined, facts: [{ kind: "status", metric: "", text: "pausedbyuser" }] },
  ]);
});

test.each([1, 1_000_000])("channels have the unit, time and value of the page, in parts of %i bytes", async (part) => {
  const objects = [
    { sensorId: "50", channelId: "1" },
    { sensorId: "50", channelId: "2" },
    { sensorId: "51", channelId: "0" },
  ];
  const { facts, measured } = await served(objects, part);
  const unit = (text: string) => ({ kind: "unit", metric: "", text });
  const value = (text: string | undefined) => ({ kind: "value", metric: "prtg_channel_value", text });
  expect(facts).toEqual([
    { time: measured, facts: [unit("%"), value("50")], withheld: undefined },
    { time: undefined, facts: [unit(""), value(undefined)], withheld: undefined },
    { time: undefined, facts: [unit("%"), value(undefined)], withheld: "paused" },
  ]);
});

test("objects that the exporter does not know are missing", async () => {
  const { facts } = await served([sensor("99"), { sensorId: "50", channelId: "9" }, sensor("40")], 1_000_000);
  expect(facts).toEqual([undefined, undefined, undefined]);
});
