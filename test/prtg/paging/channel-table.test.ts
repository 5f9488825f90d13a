import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ChannelTable } from "../../../src/prtg/paging/channel-table.ts";
import type { ChannelRecord } from "../../../src/prtg/records.ts";

function channel(sensorId: string, channelId: string, more: Partial<ChannelRecord> = {}): ChannelRecord {
  return {
    ...{ sensorId, channelId, name: "Value", unit: "%", value: 1.5, measuredAt: 1_700_000_000_000 },
    ...{ limits: undefined, lookup: undefined, ...more },
  };
}

const channels = fc
  .record({
    sensorId: fc.constantFrom("1", "2", "30"),
    channelId: fc.nat(150).map(String),
    name: fc.string(),
    unit: fc.constantFrom("", "%", "kbit/s"),
    value: fc.option(fc.double({ noNaN: true }), { nil: undefined }),
    measuredAt: fc.option(fc.nat(), { nil: undefined }),
    limits: fc.option(fc.record({ max_error: fc.integer() }), { nil: undefined }),
    lookup: fc.constantFrom(undefined, "", "acme.door"),
  })
  .map((record): ChannelRecord => record);

describe("ChannelTable", () => {
  test("equals a map by sensor and channel, in the order of the first appearance", () => {
    let largest = 0;
    fc.assert(
      fc.property(fc.array(fc.tuple(channels, fc.boolean()), { maxLength: 2_000, size: "max" }), (list) => {
        const table = new ChannelTable();
        const expected = new Map<string, ChannelRecord>();
        for (const [record, isReplaced] of list) {
          const id = `${record.sensorId}.${record.channelId}`;
          if (isReplaced) table.set(record);
          else expect(table.add(record)).toEqual(expected.get(id));
          if (isReplaced || !expected.has(id)) expected.set(id, record);
        }
        expect(table.length).toBe(expected.size);
        expect([...table]).toEqual([...expected.values()]);
        largest = Math.max(
          largest,
          ...Map.groupBy(expected.values(), ({ sensorId }) => sensorId)
            .values()
            .map((each) => each.length),
        );
      }),
      { numRuns: 20 },
    );
    // Such sensors have a map of their own.
    expect(largest).toBeGreaterThan(64);
  });

  test("finds channels of one sensor with 20,000 channels in constant time", () => {
    const table = new ChannelTable();
    for (let index = 0; index < 20_000; index++) table.set(channel("7", String(index), { value: index }));
    expect(table.add(channel("7", "0"))?.value).toBe(0);
    expect(table.add(channel("7", "19999"))?.value).toBe(19_999);
    expect(table.add(channel("7", "20000"))).toBeUndefined();
  });

  test("keeps every fact of a channel, and the absence of optional ones", () => {
    const table = new ChannelTable();
    const full = channel("7", "0", { unit: "kbit/s", limits: { max_error: 1 }, lookup: "acme.door" });
    const bare = channel("7", "1", { name: "", unit: "", value: undefined, measuredAt: undefined });
    for (const each of [full, bare]) table.set(each);
    expect([...table]).toEqual([full, bare]);
  });

  test("keeps the first channels as if the others had never been added", () => {
    fc.assert(
      fc.property(fc.array(channels, { maxLength: 1_500, size: "max" }), fc.nat(), (list, some) => {
        const [whole, table] = [new ChannelTable(), new ChannelTable()];
        for (const record of list) {
          whole.add(record);
          table.add(record);
        }
        const length = some % (table.length + 1);
        table.truncate(length);
        expect(table.length).toBe(length);
        expect([...table]).toEqual([...whole].slice(0, length));
        for (const record of list) table.add(record);
        expect([...table]).toEqual([...whole]);
      }),
      { numRuns: 20 },
    );
  });

  test("makes each record anew", () => {
    const table = new ChannelTable();
    table.set(channel("7", "0"));
    const [first] = table;
    const [second] = table;
    expect(first).toEqual(second);
    expect(first).not.toBe(second);
  });
});
