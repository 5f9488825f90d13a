import { describe, expect, test } from "vitest";
import { CHANNEL_MEMBERS, decodeChannel } from "../../../src/prtg/decode/channel.ts";
import { type DecodeProblems, noProblems } from "../../../src/prtg/decode/values.ts";
import type { ChannelRecord } from "../../../src/prtg/records.ts";
import { pickMembers } from "../pick-members.ts";

function decode(record: unknown): { channel: ChannelRecord | undefined; problems: DecodeProblems } {
  const problems = noProblems();
  const decoded = { channel: decodeChannel(record, problems), problems };
  const problemsOfPicked = noProblems();
  const picked = decodeChannel(pickMembers(record, CHANNEL_MEMBERS), problemsOfPicked);
  expect({ channel: picked, problems: problemsOfPicked }).toEqual(decoded);
  return decoded;
}

const TRAFFIC = {
  id: "2490.1",
  name: "Traffic In",
  href: "/api/v2/channels/2490.1",
  basic: { name: "Traffic In", displayunit: "Mbit/s", unittype: "BYTES_BANDWIDTH" },
  last_measurement: {
    timestamp: "2026-03-12T17:55:10Z",
    value: 24020.8,
    display_value: 0.1921664,
    minimum: 0,
    maximum: 51234.5,
    average: 20111.2,
    display_volume: 1.37,
  },
  parent: { id: "2490", name: "Uplink", type: "REFERENCED_SENSOR", href: "/api/v2/sensors/2490" },
};

describe("both shapes", () => {
  test("include a tree node of live servers", () => {
    const { channel, problems } = decode(TRAFFIC);
    expect(problems).toEqual(noProblems());
    expect(channel).toEqual({
      sensorId: "2490",
      channelId: "1",
      name: "Traffic In",
      unit: "Mbit/s",
      value: 0.1921664,
      measuredAt: Date.UTC(2026, 2, 12, 17, 55, 10),
      limits: undefined,
    });
  });

  test("include a record of the deprecated list", () => {
    const { channel, problems } = decode({
      id: "1002.0",
      name: "Health",
      unit: { display_unit: "%", type: "PERCENT", decimal_digits: 0, custom: "" },
      last_measurement: { timestamp: "2026-03-12T17:55:10Z", value: 100, display_value: 100 },
      path: [{ id: "0" }, { id: "1002" }],
      limits: { limit_max_error: null, limit_min_error: 25, limit_max_warning: null, limit_min_warning: 50.5 },
    });
    expect(problems).toEqual(noProblems());
    expect(channel).toMatchObject({
      sensorId: "1002",
      channelId: "0",
      unit: "%",
      value: 100,
      limits: { min_error: 25, min_warning: 50.5 },
    });
  });
});

describe("ids", () => {
  test.each([
    { record: { id: "2490.-4" }, sensorId: "2490", channelId: "-4" },
    { record: { id: "2490.1.2" }, sensorId: "2490", channelId: "1.2" },
    { record: { id: 2490.5 }, sensorId: "2490", channelId: "5" },
    { record: { id: "5", parent: { id: 2490 } }, sensorId: "2490", channelId: "5" },
    { record: { id: "2490.5", parent: null }, sensorId: "2490", channelId: "5" },
    { record: { id: "2490.5", parent: { name: "no id" } }, sensorId: "2490", channelId: "5" },
  ])("$record", ({ record, sensorId, channelId }) => {
    expect(decode(record).channel).toMatchObject({ sensorId, channelId });
  });

  test.each([{ id: "5" }, { id: ".5" }, { id: "2490." }, { id: "" }, {}, null, [], "2490.1"])(
    "skip and count %j",
    (record) => {
      const { channel, problems } = decode(record);
      expect(channel).toBeUndefined();
      expect(problems).toEqual({ ...noProblems(), record: 1 });
    },
  );
});

test.each([
  { record: { name: "Traffic", basic: { name: "Other" } }, name: "Traffic" },
  { record: { basic: { name: "Traffic" } }, name: "Traffic" },
  { record: { name: null, basic: {} }, name: "" },
  { record: {}, name: "" },
])("the name of $record is $name", ({ record, name }) => {
  const { channel, problems } = decode({ id: "1.0", ...record });
  expect(channel?.name).toBe(name);
  expect(problems).toEqual(noProblems());
});

describe("values", () => {
  test.each([
    { display_value: 74, value: 74, problems: 0 },
    { display_value: 0, value: 0, problems: 0 },
    { display_value: "68.79166666666667", value: 68.79166666666667, problems: 0 },
    { display_value: "-1635", value: -1635, problems: 0 },
    { display_value: null, value: undefined, problems: 0 },
    { display_value: undefined, value: undefined, problems: 0 },
    { display_value: "1,5", value: 1.5, problems: 0 },
    { display_value: "1,500", value: undefined, problems: 1 },
    { display_value: "", value: undefined, problems: 1 },
    { display_value: "NaN", value: undefined, problems: 1 },
    { display_value: "Infinity", value: undefined, problems: 1 },
    { display_value: Number.POSITIVE_INFINITY, value: undefined, problems: 1 },
    { display_value: "12 msec", value: undefined, problems: 1 },
    { display_value: true, value: undefined, problems: 1 },
    { display_value: [1], value: undefined, problems: 1 },
  ])("display_value $display_value gives $value and $problems problems", ({ display_value, value, problems }) => {
    const decoded = decode({ id: "1.0", last_measurement: { timestamp: "2026-03-12T17:55:10Z", display_value } });
    expect(decoded.channel?.value).toBe(value);
    expect(decoded.problems).toEqual({ ...noProblems(), value: problems });
  });

  test("ignore the raw value, whose unit is unknown", () => {
    expect(
      decode({ id: "1.0", last_measurement: { value: 24020.8, display_value: null } }).channel?.value,
    ).toBeUndefined();
    expect(decode({ id: "1.0", last_measurement: { value: 24020.8 } }).channel?.value).toBeUndefined();
  });

  test.each([null, undefined, "none", 5])("are empty without a last measurement (%j)", (last_measurement) => {
    const { channel, problems } = decode({ id: "1.0", last_measurement });
    expect(channel).toMatchObject({ value: undefined, measuredAt: undefined });
    expect(problems).toEqual(noProblems());
  });

  test("lose only the time with a bad timestamp", () => {
    const { channel, problems } = decode({ id: "1.0", last_measurement: { timestamp: "now", display_value: 3 } });
    expect(channel).toMatchObject({ value: 3, measuredAt: undefined });
    expect(problems).toEqual({ ...noProblems(), timestamp: 1 });
  });
});

test.each([
  [{ basic: { displayunit: "°C" } }, "°C"],
  [{ basic: { displayunit: "" } }, ""],
  [{ unit: { display_unit: "", custom: "widgets" } }, "widgets"],
  [{ unit: "MB" }, "MB"],
  [{ basic: {} }, ""],
  [{}, ""],
])("the unit of %j reads %j", (record, unit) => {
  expect(decode({ id: "1.0", ...record }).channel?.unit).toBe(unit);
});

describe("limits", () => {
  test.each([
    {
      alerting: {
        limitmaxerror: "90",
        limitmaxwarning: "80.5",
        limitminwarning: "",
        limitminerror: null,
        limiterrormsg: "hot",
      },
      limits: { max_error: 90, max_warning: 80.5 },
      problems: 0,
    },
    { alerting: { limitmaxerror: 0, limitminerror: -5 }, limits: { max_error: 0, min_error: -5 }, problems: 0 },
    { alerting: { limitmaxerror: "", limitmaxwarning: "" }, limits: {}, problems: 0 },
    { alerting: {}, limits: {}, problems: 0 },
    { alerting: { limitmode: "0", limitmaxerror: "90" }, limits: {}, problems: 0 },
    { alerting: { limitmode: "1", limitmaxerror: "90" }, limits: { max_error: 90 }, problems: 0 },
    { alerting: { limitmaxerror: "high", limitminerror: "5" }, limits: { min_error: 5 }, problems: 1 },
    { alerting: { limitmaxwarning: "0,2" }, limits: { max_warning: 0.2 }, problems: 0 },
    { alerting: { limitmaxwarning: "1.000,5" }, limits: { max_warning: 1_000.5 }, problems: 0 },
    { alerting: { limitmaxwarning: "10 %" }, limits: { max_warning: 10 }, problems: 0 },
    { alerting: { limitmaxwarning: "1'000" }, limits: { max_warning: 1_000 }, problems: 0 },
    { alerting: { limitmaxwarning: "1,234" }, limits: {}, problems: 1 },
    { alerting: { limitmaxwarning: "10 msec" }, limits: {}, problems: 1 },
    { alerting: undefined, limits: undefined, problems: 0 },
  ])("$alerting", ({ alerting, limits, problems }) => {
    const decoded = decode({ id: "1.0", basic: { displayunit: "%" }, alerting });
    expect(decoded.channel?.limits).toEqual(limits);
    expect(decoded.problems).toEqual({ ...noProblems(), value: problems });
  });
});
