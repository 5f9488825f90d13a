import { expect, test } from "vitest";
import { explainPage } from "../../../src/app/reports/explain-page.ts";
import { debugText } from "../../../src/http/pages/status/debug-view.ts";
import { plainMapper } from "../../../src/mapping/channel-mapper.ts";
import { MINUTE, memoryPipeline } from "../../collectors/memory-pipeline.ts";
import type { MemoryServer } from "../../collectors/memory-server.ts";
import { channel, smallServer } from "../../collectors/small-server.ts";

/** Asks after one poll. */
async function explained(server: MemoryServer = smallServer()) {
  const { monitor, store, clock } = memoryPipeline(server);
  const poll = () => monitor.pollOnce(new AbortController().signal);
  await poll();
  const monitors = new Map([["hq", { isLeftOut: () => false, runs: () => [], view: monitor.view }]]);
  const page = explainPage(() => ({ store, mapper: plainMapper(), clock, monitors }));
  const ask = async (query: Record<string, string>) => {
    const report = await page(new URLSearchParams(query));
    return { ...report, text: debugText(report) };
  };
  return { clock, poll, ask };
}

const USAGE = "give ?object= with the id of a sensor (2490) or of a channel (2490.1)";

test.each([
  { object: "", status: 400, text: USAGE },
  { object: "5 0", status: 400, text: USAGE },
  { object: "x".repeat(51), status: 400, text: USAGE },
  { object: `50.${"x".repeat(51)}`, status: 400, text: USAGE },
  { object: "40", status: 404, text: `40 is a device: ${USAGE}` },
  { object: "99", status: 404, text: "no server has returned sensor 99 yet (the user needs read access to it)" },
  { object: "50.9", status: 404, text: "no server has returned channel 50.9 yet (the user needs read access to it)" },
  { object: "x".repeat(50), status: 404, text: expect.stringContaining("no server has returned sensor xxx") },
])("the object $object gets $status", async ({ object, status, text }) => {
  const { ask } = await explained();
  const report = await ask({ object });
  expect(report).toMatchObject({ status, json: { error: text }, sections: [{ title: text }] });
  expect(report.text.trimEnd()).toEqual(text);
});

test("a query without an object gets the usage", async () => {
  expect(await (await explained()).ask({})).toMatchObject({ status: 400, json: { error: USAGE } });
});

test("a sensor has its properties and its lines, then those of its channels", async () => {
  const server = smallServer();
  server.change("50", { tags: ["a", "b"], type: "ping", typeName: "Ping" });
  const { ask, clock } = await explained(server);
  const measured = `measured at ${new Date(clock.now()).toISOString()}`;
  const { text, sections } = await ask({ object: "50" });
  const lines = text.split("\n");
  expect(lines.slice(0, 12)).toEqual([
    "sensor 50 of server hq, normalised (the exporter keeps no raw records)",
    "  path            Berlin/Network/sw-1/Uplink",
    "  kind            ping (Ping)",
    "  device          sw-1 (40)",
    "  tags            a, b",
    "  inherited tags",
    "  status          up",
    "  message",
    "  status since",
    "  last up",
    "  last down",
    "  stale after     300 s",
  ]);
  expect(lines.slice(lines.indexOf("channel 50.1"))).toEqual([
    "channel 50.1",
    "  name            channel 1",
    "  unit            %",
    `  value           50, ${measured}`,
    "  limits",
    expect.stringMatching(/^ {2}rule {12}\S/),
    "  lines served",
    expect.stringMatching(/^ {4}prtg_channel_value\{.*channel_id="1".*\} 50$/),
    "",
  ]);
  expect(text).not.toContain("skips the first N");
  expect(sections.slice(1).map(({ title }) => title)).toEqual(["channel 50.0", "channel 50.1"]);
  expect(sections[1]?.lines).toEqual([expect.stringMatching(/^prtg_channel_value/)]);
});

test.each([
  { what: "no value", more: { value: undefined }, expected: "none: no measurement is known" },
  { what: "no time", more: { measuredAt: undefined }, expected: "none: no measurement is known" },
  {
    what: "limits",
    more: { limits: { max_error: 90, min_error: 1 } },
    expected: "limits          max_error 90, min_error 1",
  },
])("a channel with $what shows it", async ({ more, expected }) => {
  const server = smallServer();
  server.channelRecords = [channel("50.0", { measuredAt: server.channelRecords[0]?.measuredAt, ...more })];
  const { ask } = await explained(server);
  expect((await ask({ object: "50.0" })).text).toContain(expected);
});

test("a channel whose last value is no number says so", async () => {
  const server = smallServer();
  const { ask, poll } = await explained(server);
  server.channelRecords = server.channelRecords.map((each) => ({ ...each, value: undefined }));
  await poll();
  expect((await ask({ object: "50.0" })).text).toContain("none: the last value was not a number, measured at");
});

test("a channel of a paused sensor and a stale one serve no lines", async () => {
  const server = smallServer();
  server.change("51", { status: "pausedbyuser" });
  const { ask, clock } = await explained(server);
  const paused = await ask({ object: "51.0" });
  expect(paused.text).toContain("none: the sensor is paused");
  expect(paused.text).toContain("  no lines served\n");
  expect(paused.sections.at(-1)).toMatchObject({ title: "channel 51.0", lines: [] });
  await clock.advance(6 * MINUTE);
  const stale = await ask({ object: "50.0" });
  expect(stale.text).toContain("none: the last measurement is too old, measured at");
});

test("JSON has the same facts", async () => {
  const { ask, clock } = await explained();
  const { json } = await ask({ object: "50.1" });
  expect(json).toEqual({
    objects: [
      {
        server: "hq",
        sensor: {
          ...{ sensor_id: "50", path: "Berlin/Network/sw-1/Uplink", kind: "sensor", kind_name: "sensor" },
          ...{ device_id: "40", device: "sw-1", tags: [], inherited_tags: [], status: "up" },
          ...{ message: undefined, status_since: undefined, last_up: undefined, last_down: undefined },
          stale_after_seconds: 300,
        },
        lines: expect.any(Array),
        channels_total: 2,
        channels_from: 0,
        channels: [
          {
            ...{ channel_id: "1", channel: "channel 1", unit: "%", state: "served", value: 50 },
            ...{ measured_at: new Date(clock.now()).toISOString(), from_time_series: false, limits: {} },
            ...{ outcome: expect.any(String), rule: undefined, reason: expect.any(String) },
            lines: [expect.stringMatching(/^prtg_channel_value\{.*channel_id="1".*\} 50$/)],
          },
        ],
      },
    ],
  });
});
