import fc from "fast-check";
import { expect, test } from "vitest";
import { Channel, channelNumbers } from "../../src/model/channel.ts";
import { NodeState, nodeTimes } from "../../src/model/node-state.ts";
import { SensorChannels } from "../../src/model/sensor-channels.ts";
import { ROOT, record } from "./build-record.ts";

const SENSOR = new NodeState(nodeTimes(), {
  ...record("sensor", "2490", ROOT),
  ...{ inheritedTags: [], parentId: "0", unseen: [], orphan: false },
  ...{ path: "Root/a/b", probe: "", group: "", device: "a", deviceId: "40" },
});

const id = fc.oneof(fc.integer({ min: -4, max: 120 }).map(String), fc.constantFrom("", "-", "1010", "a", "ab", "é"));
const step = fc.oneof(
  { weight: 5, arbitrary: id.map((channelId) => ({ kind: "take", channelId }) as const) },
  { weight: 1, arbitrary: id.map((channelId) => ({ kind: "remove", channelId }) as const) },
);

test("the index finds each channel by id after changes in any order", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const numbers = channelNumbers();
      const channels = new SensorChannels(SENSOR);
      const expected = new Map<string, Channel>();
      for (const { kind, channelId } of steps) {
        expect(channels.find(channelId)).toBe(expected.get(channelId));
        if (kind === "remove") {
          channels.retain((channel) => channel.channelId !== channelId);
          expected.delete(channelId);
        } else if (!expected.has(channelId)) {
          const channel = new Channel(numbers, SENSOR, { channelId, name: channelId, unit: "%" });
          channels.add(channel);
          expected.set(channelId, channel);
        }
        expect(channels.channels).toEqual([...expected.values()]);
      }
    }),
  );
});

test("the index reads about one id per channel if callers ask in the order of the list, again and again", () => {
  const numbers = channelNumbers();
  const channels = new SensorChannels(SENSOR);
  const ids = Array.from({ length: 60 }, (_, index) => String(index));
  let reads = 0;
  for (const channelId of ids) {
    const channel = new Channel(numbers, SENSOR, { channelId, name: channelId, unit: "%" });
    const get = () => {
      reads++;
      return channelId;
    };
    channels.add(Object.defineProperty(channel, "channelId", { get }));
  }
  reads = 0;
  for (let poll = 0; poll < 3; poll++) for (const channelId of ids) channels.find(channelId);
  expect(reads).toBeLessThan(2 * 3 * ids.length);
});
