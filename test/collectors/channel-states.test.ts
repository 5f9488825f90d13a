import { describe, expect, test } from "vitest";
import { LatestValues } from "../../src/collectors/time-series.ts";
import { formatLabels } from "../../src/exposition/text-format.ts";
import { ChannelMapper } from "../../src/mapping/channel-mapper.ts";
import { TREE_FAMILIES } from "../../src/mapping/metric-table.ts";
import { compileRules } from "../../src/mapping/rules/compile.ts";
import { SeriesLabels } from "../../src/mapping/series-labels.ts";
import type { LookupDefinition } from "../../src/prtg/records.ts";
import { Store } from "../../src/store/store.ts";
import { record, reference } from "../model/build-record.ts";
import { never } from "../support/never-aborted.ts";
import { type MemoryPipeline, MINUTE, memoryPipeline } from "./memory-pipeline.ts";
import { channel, smallServer } from "./small-server.ts";

const { channelState, channelValue } = TREE_FAMILIES;

function single(id: string, name: string, texts: Readonly<Record<number, string>>): LookupDefinition {
  const entries = Object.entries(texts).map(([value, text]) => {
    return { kind: "range", from: Number(value), to: Number(value), text } as const;
  });
  return { id, name, entries };
}

const DOOR = single("acme.door", "Rack Door", { 0: "Closed", 1: "Open" });
const FAN = single("acme.fan", "Fan", { 0: "Stopped", 1: "Running" });

interface DoorPipeline extends MemoryPipeline {
  /** Sets channel 50.0, the only one. */
  poll(more?: Parameters<typeof channel>[1], collectors?: "channels" | "all"): Promise<void>;
  states(): (string | undefined)[];
}

/** Channel 50.0, and a server with a lookup for doors. Nothing has run. */
function withDoorLookup(options: Parameters<typeof memoryPipeline>[1] = {}): DoorPipeline {
  const server = smallServer();
  server.lookupDefinitions = [DOOR, FAN];
  const running = memoryPipeline(server, options);
  return {
    ...running,
    poll: async (more, collectors = "all") => {
      server.channelRecords = [channel("50.0", { name: "Door", unit: "", measuredAt: running.clock.now(), ...more })];
      if (collectors === "channels") server.fail("API_TIMEOUT", "limits");
      await running.monitor.pollOnce(never);
      server.recover();
    },
    states: () => running.series(channelState).map(({ labels }) => labels.state),
  };
}

/** The door is open. */
async function withOpenDoor(options: Parameters<typeof memoryPipeline>[1] = {}): Promise<DoorPipeline> {
  const subject = withDoorLookup(options);
  await subject.poll({ value: 1, lookup: "acme.door" });
  expect(subject.states()).toEqual(["Open"]);
  return subject;
}

describe("state of a channel", () => {
  test("has the labels of the channel and the value 1", async () => {
    const { series } = await withOpenDoor();
    expect(series(channelState)).toEqual([
      {
        value: 1,
        labels: {
          server: "hq",
          sensor_id: "50",
          channel_id: "0",
          probe: "Berlin",
          group: "Network",
          device: "sw-1",
          sensor: "Uplink",
          channel: "Door",
          unit: "",
          path: "Berlin/Network/sw-1/Uplink",
          state: "Open",
        },
      },
    ]);
  });

  test("follows the value at each poll of the values", async () => {
    const { poll, states, store } = await withOpenDoor();
    for (const [value, state] of [
      [0, "Closed"],
      [1, "Open"],
      [1, "Open"],
      [7, "7"],
      [-0.5, "-0.5"],
      [0, "Closed"],
    ] as const) {
      await poll({ value }, "channels");
      expect(states()).toEqual([state]);
    }
    expect(store.table(channelState).slots).toBe(1);
  });

  test("follows the value of a time series", async () => {
    const { clock, states, store, monitor } = await withOpenDoor();
    new LatestValues(monitor.writer, clock).add("50", clock.now() + 1, [["0", 0]]);
    // A commit shows the row, and commits run in turn.
    await store.read(() => undefined);
    expect(states()).toEqual(["Closed"]);
  });

  test("ends with the value: if it is null or too old, or the sensor is paused", async () => {
    const { poll, states, clock, server, series } = await withOpenDoor();
    await poll({ value: undefined }, "channels");
    expect(states()).toEqual([]);
    await poll({ value: 0 }, "channels");
    expect(states()).toEqual(["Closed"]);
    await clock.advance(5 * MINUTE);
    expect(series(channelValue)).toEqual([]);
    expect(states()).toEqual([]);
    await poll({ value: 0 }, "channels");
    server.change("50", { status: "pausedbyuser" });
    await poll({ value: 0 });
    expect(states()).toEqual([]);
    server.change("50", { status: "up" });
    await poll({ value: 0 }, "channels");
    expect(states()).toEqual(["Closed"]);
  });

  test("ends with its channel and its sensor", async () => {
    const { server, monitor, states, store, poll } = await withOpenDoor();
    server.channelRecords = [];
    for (let times = 0; times < 2; times++) await monitor.pollOnce(never);
    expect(states()).toEqual([]);
    await poll({ value: 0, lookup: "acme.door" });
    expect(states()).toEqual(["Closed"]);
    server.remove("50");
    for (let times = 0; times < 2; times++) await monitor.pollOnce(never);
    expect(states()).toEqual([]);
    expect(store.table(channelState).slots).toBe(1);
  });

  test("follows a renamed and moved channel", async () => {
    const { server, poll, series } = await withOpenDoor();
    server.put(record("group", "11", "1", { name: "Edge" }));
    server.change("40", { parent: reference("11") });
    await poll({ name: "Front Door", value: 1 }, "channels");
    expect(series(channelState).map(({ labels }) => [labels.path, labels.channel, labels.state])).toEqual([
      ["Berlin/Edge/sw-1/Uplink", "Front Door", "Open"],
    ]);
  });

  test("follows a moved channel before its next value", async () => {
    const { server, monitor, series } = await withOpenDoor();
    server.change("40", { name: "sw-2" });
    server.fail("API_TIMEOUT", "channels", "limits");
    await monitor.pollOnce(never);
    expect(series(channelState).map(({ labels }) => [labels.device, labels.state])).toEqual([["sw-2", "Open"]]);
  });

  test("uses a new lookup after the next slow poll, and ends without one", async () => {
    const { poll, states } = await withOpenDoor();
    await poll({ value: 1, lookup: "acme.fan" });
    expect(states()).toEqual(["Running"]);
    await poll({ value: 0, lookup: "" });
    expect(states()).toEqual([]);
    await poll({ value: 0, lookup: "Rack Door" });
    expect(states()).toEqual(["Closed"]);
  });

  test("uses changed texts", async () => {
    const { server, poll, states } = await withOpenDoor();
    server.lookupDefinitions = [single("acme.door", "Rack Door", { 1: "Wide Open" })];
    await poll({ value: 1 }, "channels");
    expect(states()).toEqual(["Open"]);
    await poll({ value: 1, lookup: "acme.door" });
    expect(states()).toEqual(["Wide Open"]);
  });

  test("works if the values include the lookups", async () => {
    const { poll, states } = await withOpenDoor();
    await poll({ value: 1, lookup: "acme.fan" }, "channels");
    expect(states()).toEqual(["Running"]);
  });

  test("does not change if a list omits lookups", async () => {
    const { poll, states } = await withOpenDoor();
    await poll({ value: 0 });
    expect(states()).toEqual(["Closed"]);
  });

  test("ends after three slow polls without the lookup, at any value", async () => {
    const { poll, states, clock, value, store } = await withOpenDoor();
    for (let minute = 0; minute < 44; minute += 4) {
      await clock.advance(4 * MINUTE);
      await poll({ value: 0 }, "channels");
      expect(states()).toEqual(["Closed"]);
    }
    await clock.advance(MINUTE);
    expect(value(channelValue)).toBe(0);
    expect(states()).toEqual([]);
    await poll({ value: 0 }, "channels");
    expect(store.table(channelState).size).toBe(0);
  });

  test("stays while slow polls confirm the lookup", async () => {
    const { poll, states, clock } = await withOpenDoor();
    for (let times = 0; times < 4; times++) {
      await clock.advance(30 * MINUTE);
      await poll({ value: 0, lookup: "acme.door" });
      await clock.advance(30 * MINUTE);
      await poll({ value: 0 }, "channels");
      expect(states()).toEqual(["Closed"]);
    }
  });

  test("is absent if the server does not list the lookup, and a counter reports it", async () => {
    const subject = withDoorLookup();
    await subject.poll({ value: 1, lookup: "acme.window" });
    expect(subject.states()).toEqual([]);
    expect(await subject.own("prtg_exporter_decode_problems_total", { problem: "lookup" })).toBe(1);
    await subject.poll({ value: 1, lookup: "" });
    await subject.poll({ value: 1 });
    expect(await subject.own("prtg_exporter_decode_problems_total", { problem: "lookup" })).toBe(1);
  });
});

describe("state of a channel under rules", () => {
  function ruled(keepOriginal: boolean): DoorPipeline {
    const { ruleSet: rules } = compileRules(
      [
        {
          label: "test.yaml",
          isPreset: false,
          rules: [
            { kind: "drop", match: { channel: "Noise" } },
            { kind: "metric", match: { channel: "Door" }, name: "test_door", help: "A door." },
          ],
        },
      ],
      { byteUnits: "binary" },
    );
    const settings = { keep: new Set<string>(), rename: new Map(), fromTags: [] };
    const mapper = new ChannelMapper({ labels: new SeriesLabels(settings), rules, keepOriginal });
    const store = new Store(mapper.storeFamilies());
    return withDoorLookup({ mapper, store });
  }

  function served({ store }: DoorPipeline): string[] {
    const table = store.table(channelState);
    return Array.from({ length: table.slots }, (_, slot) => slot)
      .filter((slot) => table.isPresent(slot))
      .map((slot) => formatLabels(table.family.labels, table.labels(slot)));
  }

  test.each([true, false])("stays next to a mapped series with its labels (keep_original: %s)", async (keep) => {
    const subject = ruled(keep);
    await subject.poll({ value: 1, lookup: "acme.door" });
    expect(served(subject)).toEqual(['{server="hq",sensor_id="50",channel_id="0",state="Open"}']);
  });

  test("ends when a rule drops the channel and returns with it", async () => {
    const subject = ruled(true);
    await subject.poll({ value: 1, lookup: "acme.door" });
    await subject.poll({ name: "Noise", value: 1 }, "channels");
    expect(served(subject)).toEqual([]);
    await subject.poll({ name: "Noise", value: 0, lookup: "acme.door" });
    expect(served(subject)).toEqual([]);
    await subject.poll({ name: "Door", value: 0 }, "channels");
    expect(served(subject)).toEqual(['{server="hq",sensor_id="50",channel_id="0",state="Closed"}']);
  });
});

describe("list of lookups", () => {
  const LIMITS = { max_error: 90 };
  const lines = ({ log }: MemoryPipeline) =>
    log.filter(({ msg }) => msg.includes("channel states")).map(({ msg }) => msg);

  test("comes with the limits, and channels follow if the list has lookups", async () => {
    const { server } = await withOpenDoor();
    expect(server.asked.filter((asked) => /lookups|limits/.test(asked))).toEqual(["lookups", "limits alerting values"]);
  });

  test("can be missing: limits work, and the log reports start and end once", async () => {
    const subject = withDoorLookup();
    subject.server.lookupDefinitions = undefined;
    for (let times = 0; times < 3; times++) {
      await subject.poll({ value: 1, lookup: "acme.door", limits: LIMITS });
      expect(subject.states()).toEqual([]);
      expect(subject.value(TREE_FAMILIES.channelLimit)).toBe(90);
    }
    expect(subject.server.asked.filter((asked) => asked.startsWith("limits"))).toEqual([
      "limits alerting",
      "limits alerting",
      "limits alerting",
    ]);
    expect(lines(subject)).toEqual(["channel states are missing: the server has no list of lookups"]);
    subject.server.lookupDefinitions = [DOOR];
    for (let times = 0; times < 2; times++) await subject.poll({ value: 1, lookup: "acme.door" });
    expect(subject.states()).toEqual(["Open"]);
    expect(lines(subject)).toHaveLength(2);
    expect(lines(subject)[1]).toBe("channel states are available: the server sends lookups");
  });

  test("can be empty: no request for channels and no log line", async () => {
    const subject = withDoorLookup();
    subject.server.lookupDefinitions = [];
    await subject.poll({ value: 1, limits: LIMITS });
    expect(subject.server.asked.filter((asked) => asked.startsWith("limits"))).toEqual(["limits alerting"]);
    expect(lines(subject)).toEqual([]);
  });

  test("can be forbidden: the log reports it once", async () => {
    const subject = withDoorLookup();
    for (let times = 0; times < 2; times++) {
      subject.server.fail("API_FORBIDDEN", "lookups");
      await subject.poll({ value: 1, limits: LIMITS, lookup: "acme.door" });
    }
    expect(subject.value(TREE_FAMILIES.channelLimit)).toBe(90);
    expect(subject.states()).toEqual([]);
    expect(lines(subject)).toHaveLength(1);
    expect(lines(subject)[0]).toContain("API_FORBIDDEN");
  });

  test("can be missing and forbidden in turn: the log reports each change", async () => {
    const subject = withDoorLookup();
    subject.server.lookupDefinitions = undefined;
    await subject.poll({ value: 1 });
    subject.server.fail("API_FORBIDDEN", "lookups");
    await subject.poll({ value: 1 });
    subject.server.recover();
    await subject.poll({ value: 1 });
    const reasons = [
      "the server has no list of lookups",
      "lookups failed [API_FORBIDDEN]",
      "the server has no list of lookups",
    ];
    expect(lines(subject)).toEqual(reasons.map((reason) => expect.stringContaining(reason)));
  });

  test("can become forbidden: requests for channels omit lookups", async () => {
    const subject = await withOpenDoor();
    subject.server.fail("API_FORBIDDEN", "lookups");
    await subject.poll({ value: 1, limits: LIMITS });
    expect(subject.server.asked.filter((asked) => asked.startsWith("limits"))).toEqual([
      "limits alerting values",
      "limits alerting",
    ]);
  });

  test("ends silently if its run is aborted", async () => {
    const subject = await withOpenDoor();
    subject.server.hold("lookups");
    void subject.monitor.start();
    await subject.clock.advance(15 * MINUTE);
    expect(subject.server.timesAsked("lookups")).toBe(2);
    await subject.monitor.stop();
    expect(subject.log.filter(({ msg }) => msg.includes("lookups"))).toEqual([]);
  });

  test("does not repeat a failing list of channels", async () => {
    const subject = await withOpenDoor();
    subject.server.fail("API_TIMEOUT", "limits");
    expect(await subject.monitor.pollOnce(never)).toBe(false);
    expect(subject.server.timesAsked("limits")).toBe(2);
    expect(lines(subject)).toEqual([]);
  });

  test("keeps its texts after a failure, and no collector fails", async () => {
    const subject = await withOpenDoor();
    subject.server.fail("API_TIMEOUT", "lookups");
    subject.server.channelRecords = [
      channel("50.0", {
        name: "Door",
        unit: "",
        value: 0,
        measuredAt: subject.clock.now(),
        lookup: "acme.door",
        limits: LIMITS,
      }),
    ];
    expect(await subject.monitor.pollOnce(never)).toBe(true);
    expect(subject.states()).toEqual(["Closed"]);
    expect(subject.value(TREE_FAMILIES.channelLimit)).toBe(90);
    expect(subject.log.filter(({ msg }) => msg.startsWith("reading the lookups failed"))).toHaveLength(1);
  });

  test("has no effect if the server refuses lookups of channels: limits come alone", async () => {
    const subject = withDoorLookup();
    const { server } = subject;
    const channels = server.channels.bind(server);
    server.channels = async (options, aborted) => {
      const list = await channels({ sections: new Set(["alerting"]) }, aborted);
      return options.sections?.has("values") ? { ...list, refused: ["values"] } : list;
    };
    for (let times = 0; times < 2; times++) await subject.poll({ value: 1, limits: LIMITS });
    expect(subject.value(TREE_FAMILIES.channelLimit)).toBe(90);
    expect(lines(subject)).toHaveLength(1);
    expect(lines(subject)[0]).toContain("does not send the lookups of channels");
  });
});
