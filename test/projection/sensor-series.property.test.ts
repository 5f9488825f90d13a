import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { plainMapper } from "../../src/mapping/channel-mapper.ts";
import { keyColumns, keyOf } from "../../src/mapping/families/family.ts";
import type { PresentSeries } from "../../src/projection/projector.ts";
import { ServerView } from "../../src/projection/server-view.ts";
import { SeriesTable } from "../../src/store/series-table.ts";
import { Store } from "../../src/store/store.ts";
import { channel } from "../collectors/small-server.ts";
import { contextAt } from "../model/build-context.ts";
import { list, record } from "../model/build-record.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { Premise } from "../support/premise.ts";
import { runs } from "../support/runs.ts";

const MINUTE = 60_000;
const SENSORS = ["50", "51", "52"];
const CHANNELS = ["0", "1"];

function emptyView() {
  const clock = new ManualClock();
  const mapper = plainMapper();
  const store = new Store(mapper.storeFamilies());
  const shape = {
    ...{ mapper, channelInfo: true, sensorStatus: "current" as const },
    ...{ sections: new Map(), options: new Set<string>() },
  };
  return { clock, store, view: new ServerView({ server: "hq", store, shape, staleAfterMs: 5 * MINUTE }) };
}

/** One text per series: name, label values, value. */
function textOf({ family, labels, value }: PresentSeries): string {
  return JSON.stringify([family.name, labels, value]);
}

/** All series of a sensor, by a scan of all tables. */
function scanned(store: Store, sensorId: string, channelId: string): string[] {
  const found: string[] = [];
  for (const table of store.tables) {
    const columns = keyColumns(table.family);
    if (columns?.kind !== "sensor") continue;
    for (let slot = 0; slot < table.slots; slot++) {
      const labels = table.labels(slot);
      const key = keyOf(columns, labels);
      if (!table.isPresent(slot) || key.id !== sensorId || key.channelId !== channelId) continue;
      found.push(textOf({ family: table.family, labels, value: table.value(slot) }));
    }
  }
  return found.sort();
}

const sensorRecord = fc.record({
  id: fc.constantFrom(...SENSORS),
  name: fc.constantFrom("Ping", "Uplink"),
  status: fc.constantFrom("up" as const, "down" as const, "pausedbyuser" as const),
  lastUp: fc.option(fc.constant(1_700_000_000_000), { nil: undefined }),
});
const channelRecord = fc.record({
  sensorId: fc.constantFrom(...SENSORS),
  channelId: fc.constantFrom(...CHANNELS),
  name: fc.constantFrom("Load", "Time"),
  value: fc.option(fc.integer(), { nil: undefined }),
  limits: fc.constantFrom(undefined, { max_error: 90 }, { min_warning: 1, max_error: 80 }),
});
const step = fc.oneof(
  fc.record({ sensors: fc.uniqueArray(sensorRecord, { selector: ({ id }) => id }) }),
  fc.record({ channels: fc.uniqueArray(channelRecord, { selector: (each) => `${each.sensorId}.${each.channelId}` }) }),
  fc.record({ primary: fc.constantFrom(...SENSORS) }),
  fc.record({ minutes: fc.integer({ min: 1, max: 6 }) }),
);

test("the series of a sensor are those that a scan of all tables finds", async () => {
  const premise = new Premise();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 20 }), async (steps) => {
      const { clock, store, view } = emptyView();
      const { state } = view;
      for (const each of steps) {
        const context = contextAt(clock);
        if ("minutes" in each) await clock.advance(each.minutes * MINUTE);
        else if ("sensors" in each) {
          const nodes = {
            probe: list([record("probe", "1", "0")]),
            sensor: list(each.sensors.map(({ id, ...more }) => record("sensor", id, "1", more))),
          };
          await view.commit(() => state.applyTree({ nodes }, context));
        } else if ("channels" in each) {
          const records = each.channels.map(({ sensorId, channelId, ...more }) =>
            channel(`${sensorId}.${channelId}`, { ...more, measuredAt: clock.now() }),
          );
          await view.commit(() => state.applyChannels(list(records), context));
        } else {
          const primary = [{ sensorId: each.primary, channelId: "0" }];
          await view.commit(() => state.applyDetails({ primary }, context));
        }
      }
      // Before the scan: series that are due but still in their tables are not served any more.
      const found = SENSORS.map((id) => view.present(id, CHANNELS, clock.monotonic()));
      store.expire(clock.monotonic());
      let count = 0;
      for (const [index, id] of SENSORS.entries()) {
        expect(found[index]?.own.map(textOf).sort()).toEqual(scanned(store, id, ""));
        for (const channelId of CHANNELS) {
          const series = found[index]?.channels.get(channelId) ?? [];
          expect(series.map(textOf).sort()).toEqual(scanned(store, id, channelId));
          count += series.length;
        }
      }
      premise.holds(count > 0);
    }),
    { numRuns: runs(500) },
  );
  premise.expectOften();
});

test("the series of a sensor are found without a look at other series", async () => {
  const slotsRead = async (sensors: number): Promise<number> => {
    const { clock, view } = emptyView();
    const ids = Array.from({ length: sensors }, (_, index) => String(index + 50));
    const nodes = {
      probe: list([record("probe", "1", "0")]),
      sensor: list(ids.map((id) => record("sensor", id, "1"))),
    };
    await view.commit(() => view.state.applyTree({ nodes }, contextAt(clock)));
    const records = ids.map((id) => channel(`${id}.0`, { measuredAt: clock.now() }));
    await view.commit(() => view.state.applyChannels(list(records), contextAt(clock)));
    const reads = (["labels", "label", "value", "isPresent", "expiresAt"] as const).map((name) =>
      vi.spyOn(SeriesTable.prototype, name),
    );
    try {
      const { own, channels } = view.present(ids.at(-1) ?? "", ["0"], clock.monotonic());
      expect([own, channels.get("0")]).not.toContainEqual([]);
      return reads.reduce((sum, { mock }) => sum + mock.calls.length, 0);
    } finally {
      for (const read of reads) read.mockRestore();
    }
  };
  const ofFew = await slotsRead(2);
  expect(ofFew).toBeGreaterThan(0);
  expect(await slotsRead(300)).toBe(ofFew);
});
