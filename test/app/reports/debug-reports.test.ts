import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { createDebugPages } from "../../../src/app/reports/debug-reports.ts";
import { Redactor } from "../../../src/errors/redactor.ts";
import type { DebugPage } from "../../../src/http/pages/debug-endpoint.ts";
import { debugText } from "../../../src/http/pages/status/debug-view.ts";
import { plainMapper } from "../../../src/mapping/channel-mapper.ts";
import { TREE_FAMILIES } from "../../../src/mapping/metric-table.ts";
import { SeriesTable } from "../../../src/store/series-table.ts";
import { memoryPipeline } from "../../collectors/memory-pipeline.ts";
import { channel, smallServer } from "../../collectors/small-server.ts";
import { never } from "../../support/never-aborted.ts";

const SECRET = 'hunter2"\\';

async function pages(at = smallServer()) {
  const { server, monitor, store, clock } = memoryPipeline(at);
  server.change("50", {
    ...{ name: `Uplink ${SECRET}`, tags: [SECRET], message: `Timeout <b>\u001b[31m of ${SECRET}` },
    ...{ statusSince: 1_773_334_931_000, lastUp: 1_773_334_871_250 },
  });
  await monitor.pollOnce(never);
  const redactor = new Redactor();
  redactor.add(SECRET);
  let counted = 0;
  const counting = {
    isLeftOut: (id: string) => id === "77",
    runs: () => [],
    view: {
      state: monitor.view.state,
      inspect: monitor.view.inspect.bind(monitor.view),
      present: monitor.view.present.bind(monitor.view),
      channels: () => {
        counted++;
        return monitor.view.channels();
      },
    },
  };
  const monitors = new Map([["hq", counting]]);
  const debug = createDebugPages(() => ({ store, mapper: plainMapper(), clock, monitors }), redactor);
  const withText = (page: DebugPage) => async (query: URLSearchParams) => {
    const report = await page(query);
    return { ...report, text: debugText(report) };
  };
  return {
    explain: withText(debug.explain),
    cardinality: withText(debug.cardinality),
    store,
    counted: () => counted,
  };
}

describe("pages below /debug", () => {
  test.each(["explain", "cardinality"] as const)("%s shows no secrets, in any form", async (name) => {
    const { text, json, sections, status } = await (await pages())[name](new URLSearchParams({ object: "50" }));
    expect(status).toBe(200);
    for (const shown of [text, JSON.stringify(json), JSON.stringify(sections)]) {
      expect(shown).not.toContain("hunter2");
      expect(shown).toContain("Uplink [redacted]");
    }
  });

  test("explain a sensor and its status on the server", async () => {
    const { text, json } = await (await pages()).explain(new URLSearchParams({ object: "50" }));
    expect(text).toContain("  message         Timeout <b> [31m of [redacted]\n");
    expect(text).toContain("  status since    2026-03-12T17:02:11.000Z\n");
    expect(text).toContain("  last up         2026-03-12T17:01:11.250Z\n  last down\n");
    const times = { status_since: "2026-03-12T17:02:11.000Z", last_up: "2026-03-12T17:01:11.250Z" };
    expect(json).toMatchObject({
      objects: [{ sensor: { message: expect.stringContaining("Timeout <b>"), ...times } }],
    });
  });

  test("visit only the series of the sensor that they explain", async () => {
    const { explain, store } = await pages();
    const visited: string[] = [];
    const all = [...store.tables].reduce((sum, { size }) => sum + size, 0);
    const looks = vi.spyOn(SeriesTable.prototype, "expiresAt").mockImplementation(function (this: SeriesTable, slot) {
      visited.push(this.label(slot, this.family.labels.indexOf("sensor_id")));
      return Number.POSITIVE_INFINITY;
    });
    try {
      await explain(new URLSearchParams({ object: "50" }));
    } finally {
      looks.mockRestore();
    }
    expect(new Set(visited)).toEqual(new Set(["50"]));
    expect(visited.length).toBeLessThan(all);
  });

  test("do not repeat a secret of the request", async () => {
    const { text, json } = await (await pages()).explain(new URLSearchParams({ object: SECRET }));
    expect(text + JSON.stringify(json)).not.toContain("hunter2");
  });

  test("report that an object is not selected", async () => {
    const { status, text } = await (await pages()).explain(new URLSearchParams({ object: "77" }));
    expect(status).toBe(404);
    expect(text).toContain("77 is not selected");
  });

  test("explain a sensor of many channels in parts", async () => {
    const server = smallServer();
    const ids = Array.from({ length: 1_000 }, (_, index) => String(index));
    server.channelRecords = ids.map((id) => channel(`50.${id}`));
    const { explain } = await pages(server);
    const shown = async (query: Record<string, string>) => {
      const { text, json } = await explain(new URLSearchParams(query));
      const report = z.object({
        objects: z.array(z.looseObject({ channels: z.array(z.looseObject({ channel_id: z.string() })) })),
      });
      const { channels, ...about } = report.parse(json).objects[0] ?? { channels: [] };
      return { text, about, ids: channels.map(({ channel_id }) => channel_id) };
    };
    const first = await shown({ object: "50" });
    expect(first.ids).toEqual(ids.slice(0, 200));
    expect(first.about).toMatchObject({ channels_total: 1_000, channels_from: 0 });
    expect(first.text).toContain("\nchannels 1 to 200 of 1000 (&from=N skips the first N)\n");
    const last = await shown({ object: "50", from: "900" });
    expect(last.ids).toEqual(ids.slice(900));
    expect(last.text.length).toBeLessThan(first.text.length);
    expect((await shown({ object: "50.999" })).ids).toEqual(["999"]);
  });

  test("count once for concurrent readers, and again for later ones", async () => {
    const { cardinality, counted } = await pages();
    const [first, second] = await Promise.all([1, 2].map(() => cardinality(new URLSearchParams())));
    expect([second, counted()]).toEqual([first, 1]);
    await cardinality(new URLSearchParams());
    expect(counted()).toBe(2);
  });

  test("count series per probe, and those of objects and servers that are gone", async () => {
    const { cardinality, store } = await pages();
    const read = async () => {
      const { json } = await cardinality(new URLSearchParams());
      return z.object({ series: z.int(), probes: z.array(z.unknown()), series_of_no_probe: z.int() }).parse(json);
    };
    const before = await read();
    const ofProbe = before.series - before.series_of_no_probe;
    expect(ofProbe).toBeGreaterThan(10);
    expect(before.probes).toEqual([{ server: "hq", probe: "Berlin", series: ofProbe }]);
    const table = store.table(TREE_FAMILIES.sensorStatus);
    const { labels } = table.family;
    for (const [server, id] of [
      ["hq", "99"],
      ["gone", "50"],
    ]) {
      const values: Readonly<Record<string, string | undefined>> = { server, sensor_id: id };
      table.set(table.add(labels.map((name) => values[name] ?? "")), 1);
    }
    expect(await read()).toMatchObject({ probes: before.probes, series_of_no_probe: before.series_of_no_probe + 2 });
  });

  test("list channels without rules", async () => {
    const { cardinality } = await pages();
    const { text, json } = await cardinality(new URLSearchParams());
    expect(text).toContain(
      "no rules are configured, so no channel has a mapped metric: 3\n\nunit  why        channels",
    );
    expect(json).toMatchObject({
      unmapped: {
        rules_configured: false,
        channels: 3,
        units: { total: 1, most: [{ name: "%", outcome: "unmatched", channels: 3, example: { object: "50.0" } }] },
      },
    });
  });
});
