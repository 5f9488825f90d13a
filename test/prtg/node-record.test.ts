import { describe, expect, test } from "vitest";
import { type DecodeProblems, noProblems } from "../../src/prtg/decode/values.ts";
import { decodeNode, type NodeKind, type NodeRecord } from "../../src/prtg/node-record.ts";

function decode(kind: NodeKind, record: unknown): { node: NodeRecord | undefined; problems: DecodeProblems } {
  const problems = noProblems();
  return { node: decodeNode(kind, record, problems), problems };
}

test("objects without tags share one list", () => {
  const tagsOf = (id: string) => decode("sensor", { id, status: "UP" }).node?.tags;
  expect(tagsOf("1")).toEqual([]);
  expect(tagsOf("1")).toBe(tagsOf("2"));
});

describe("tree nodes", () => {
  test("include a sensor of live servers", () => {
    const { node, problems } = decode("sensor", {
      id: "2490",
      name: "Uplink",
      href: "/api/v2/sensors/2490",
      type: "SENSOR",
      kind: "paessler.snmp.cpu_usage_sensor.65",
      kind_name: "SNMP CPU Usage",
      status: "DOWN_ACKNOWLEDGED",
      status_since: "2026-03-12T17:02:11Z",
      favorite: true,
      message: "No response (SNMP error # -2003)",
      lastup: "2026-03-12T17:01:11Z",
      lastdown: "2026-03-12T17:55:11.250Z",
      parent: { id: "2044", name: "core-sw-1", type: "REFERENCED_DEVICE", href: "/api/v2/devices/2044" },
      basic: { name: "Uplink", priority: "3", tags: ["snmptrafficsensor", "wan"], parenttags: ["cisco"] },
      intervalgroup: { interval: "60", errorintervalsdown: "1" },
    });
    expect(problems).toEqual(noProblems());
    expect(node).toEqual({
      id: "2490",
      kind: "sensor",
      name: "Uplink",
      parent: { id: "2044", name: "core-sw-1", kind: "device" },
      ancestors: undefined,
      status: "acknowledged",
      statusSince: Date.UTC(2026, 2, 12, 17, 2, 11),
      message: "No response (SNMP error # -2003)",
      lastUp: Date.UTC(2026, 2, 12, 17, 1, 11),
      lastDown: Date.UTC(2026, 2, 12, 17, 55, 11, 250),
      type: "paessler.snmp.cpu_usage_sensor",
      typeName: "SNMP CPU Usage",
      priority: 3,
      tags: ["snmptrafficsensor", "wan"],
      favorite: true,
      host: undefined,
      intervalSeconds: 60,
      downDelay: 1,
      dependsOn: undefined,
      summary: undefined,
    });
  });

  test("include a device with its address and sensors", () => {
    const { node, problems } = decode("device", {
      id: 2044,
      name: "core-sw-1",
      kind: "Probe Device",
      status: "SUMMED_INFO_UP",
      basic: { host: "10.0.0.2", hostv6: "", ipversion: "0", priority: 5, tags: [], parenttags: [] },
      parent: { id: 2993, name: "Switches", type: "REFERENCED_GROUP", href: "restricted" },
      sensor_status_summary: {
        calculated_status: "DOWN",
        total: 12,
        up: 10,
        down: 1,
        down_acknowledged: 1,
        down_partial: 0,
      },
    });
    expect(problems).toEqual(noProblems());
    expect(node).toMatchObject({
      id: "2044",
      status: "up",
      host: "10.0.0.2",
      priority: 5,
      type: "Probe Device",
      parent: { id: "2993", name: "Switches", kind: "group" },
      summary: {
        total: 12,
        counts: new Map([
          ["up", 10],
          ["down", 1],
          ["acknowledged", 1],
          ["partialdown", 0],
        ]),
      },
    });
  });

  test("count coordinates that no map can show, except of sensors, which have none", () => {
    const of = (kind: "device" | "sensor", ...tags: string[]) =>
      decode(kind, { id: "1", status: "up", basic: { tags } }).problems.value;
    expect(of("device", "geo:50.11_8.68", "geo:berlin")).toBe(0);
    expect(of("device", "geo:berlin")).toBe(0);
    expect(of("device", "geo:500.11_8.68")).toBe(1);
    expect(of("sensor", "geo:500.11_8.68")).toBe(0);
  });

  test("include a device monitored over IPv6", () => {
    const { node } = decode("device", { id: "1", status: "up", basic: { host: "", hostv6: "2001:db8::1" } });
    expect(node?.host).toBe("2001:db8::1");
  });

  test("include the smallest permitted record", () => {
    const { node, problems } = decode("group", {
      id: "7",
      name: "Root group",
      href: "/api/v2/groups/7",
      kind: "group",
    });
    expect(node).toMatchObject({
      id: "7",
      name: "Root group",
      status: "unknown",
      tags: [],
      parent: undefined,
      typeName: "",
    });
    expect(problems).toEqual({ ...noProblems(), status: 1 });
  });
});

describe("records of the deprecated lists", () => {
  test("include a sensor with its path from the root", () => {
    const { node, problems } = decode("sensor", {
      id: "2490",
      name: "Uplink",
      status: "UP",
      sensor_kind: "snmptraffic",
      favorite: false,
      priority: 4,
      scanning_interval: "60 s",
      message: "OK",
      tags: "wan uplink",
      path: [
        { id: "0", name: "Root", type: "REFERENCED_ROOT", href: "restricted" },
        { id: "2044", name: "core-sw-1", type: "REFERENCED_DEVICE", href: "/api/v2/devices/2044" },
        { id: "2490", name: "Uplink", type: "REFERENCED_SENSOR", href: "/api/v2/sensors/2490" },
      ],
    });
    expect(problems).toEqual(noProblems());
    expect(node).toMatchObject({
      parent: { id: "2044", name: "core-sw-1", kind: "device" },
      type: "snmptraffic",
      priority: 4,
      intervalSeconds: 60,
      message: "OK",
      lastUp: undefined,
      tags: ["wan", "uplink"],
      favorite: false,
    });
    expect(node?.ancestors?.map(({ id }) => id)).toEqual(["0", "2044", "2490"]);
  });

  test("include a path that ends with the parent", () => {
    const { node } = decode("device", { id: "5", status: "up", path: [{ id: "0" }, { id: "4", name: "Group" }] });
    expect(node?.parent).toEqual({ id: "4", name: "Group", kind: undefined });
  });
});

describe("bad field of a record", () => {
  test.each([null, undefined, 5, "2490", [], { name: "no id" }, { id: "" }, { id: null }, { id: ["1"] }])(
    "skips and counts %j",
    (record) => {
      const { node, problems } = decode("sensor", record);
      expect(node).toBeUndefined();
      expect(problems).toEqual({ ...noProblems(), record: 1 });
    },
  );

  test.each([
    { field: "status", record: { status: "EXPLODED" }, expected: { status: "unknown" }, problem: "status" },
    { field: "status", record: { status: 3 }, expected: { status: "unknown" }, problem: "status" },
    {
      field: "status_since",
      record: { status_since: "soon" },
      expected: { statusSince: undefined },
      problem: "timestamp",
    },
    { field: "lastup", record: { lastup: 45_000.5 }, expected: { lastUp: undefined }, problem: "timestamp" },
    { field: "lastdown", record: { lastdown: "1 h ago" }, expected: { lastDown: undefined }, problem: "timestamp" },
    { field: "message", record: { message: ["OK"] }, expected: { message: undefined }, problem: undefined },
    {
      field: "interval",
      record: { intervalgroup: { interval: "often" } },
      expected: { intervalSeconds: undefined },
      problem: "value",
    },
    {
      field: "summary",
      record: { sensor_status_summary: { up: "many", down: 1, total: 4 } },
      expected: { summary: { total: 4, counts: new Map([["down", 1]]) } },
      problem: "summary",
    },
    { field: "priority", record: { basic: { priority: "6" } }, expected: { priority: undefined }, problem: undefined },
    { field: "tags", record: { basic: { tags: ["a", 5, "", null] } }, expected: { tags: ["a"] }, problem: undefined },
    { field: "parent", record: { parent: { name: "no id" } }, expected: { parent: undefined }, problem: undefined },
    { field: "favorite", record: { favorite: "perhaps" }, expected: { favorite: undefined }, problem: undefined },
    {
      field: "name",
      record: { name: null, basic: { name: "Given" } },
      expected: { name: "Given" },
      problem: undefined,
    },
    { field: "basic", record: { basic: "none" }, expected: { tags: [] }, problem: undefined },
  ])("$field in $record", ({ record, expected, problem }) => {
    const { node, problems } = decode("sensor", { id: "1", name: "Ping", status: "UP", ...record });
    expect(node).toMatchObject({ id: "1", ...expected });
    expect(problems).toEqual({ ...noProblems(), ...(problem !== undefined && { [problem]: 1 }) });
  });

  test("names that change prototypes are plain data", () => {
    const record: unknown = JSON.parse(
      '{"id":"1","status":"UP","__proto__":{"name":"evil","polluted":true},"constructor":{"prototype":{"polluted":true}},"basic":{"__proto__":{"tags":["evil"]}}}',
    );
    const { node } = decode("sensor", record);
    expect(node).toMatchObject({ name: "", tags: [] });
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  });
});

test.each([
  ["60", 60],
  [60, 60],
  ["60.0", 60],
  ["60 s", 60],
  ["30s", 30],
  ["300 seconds", 300],
  ["60|60 seconds", 60],
  ["0", undefined],
  [-5, undefined],
  ["1,5", 1.5],
  ["0,5 s", 0.5],
  ["1,234 s", undefined],
  ["30 sec|30 seconds", 30],
])("an interval of %j gives %s seconds", (interval, seconds) => {
  expect(decode("sensor", { id: "1", status: "UP", intervalgroup: { interval } }).node?.intervalSeconds).toBe(seconds);
});

test.each([
  [1, 1],
  ["0", 0],
  ["5", 5],
  ["1|Set sensor to warning for 1 interval, then set to down", 1],
  [-1, undefined],
  ["down", undefined],
  [null, undefined],
  [undefined, undefined],
])("errorintervalsdown %j delays a status for %s intervals", (errorintervalsdown, intervals) => {
  const record = { id: "1", status: "UP", intervalgroup: { interval: "60", errorintervalsdown } };
  expect(decode("sensor", record).node?.downDelay).toBe(intervals);
});

test.each([
  [{ dependencytype: "1", dependency: "2044" }, "2044"],
  [{ dependencytype: 1, dependency: 2044 }, "2044"],
  [{ dependencytype: "1|Select a sensor", dependency: { id: "2044", type: "REFERENCED_SENSOR" } }, "2044"],
  [{ schedule: "none", dependency: "2044" }, "2044"],
  [{ dependencytype: 1, dependency: null }, ""],
  [{ dependencytype: 0, dependency: "2044" }, ""],
  [{ dependencytype: "2", dependency: "2044" }, ""],
  [{ schedule: "none" }, ""],
  ["2044", undefined],
  [undefined, undefined],
])("the section %j gives a dependency on %j", (scheduledependency, id) => {
  expect(decode("device", { id: "1", status: "UP", scheduledependency }).node?.dependsOn).toBe(id);
});

describe("message of a sensor", () => {
  const messageOf = (message: unknown) => decode("sensor", { id: "1", status: "UP", message }).node?.message;

  test.each([
    ["OK", "OK"],
    [200, "200"],
    ["", undefined],
    [" \r\n", undefined],
    [null, undefined],
    [
      '<div class="status">Timeout<br>Cause: it &amp; that</div>',
      '<div class="status">Timeout<br>Cause: it &amp; that</div>',
    ],
    ["first line\r\n\tsecond line\u2028third\n", "first line second line third"],
    ["\u001b[31mred\u0000\u0007\u0085bell", "[31mred bell"],
    ["half \ud83d of a pair", "half \ufffd of a pair"],
    ["abc\u202egnp.exe", "abc\u202egnp.exe"],
  ])("%j gives the text %j", (given, message) => {
    expect(messageOf(given)).toBe(message);
  });

  test("belongs to sensors only, like the times of the last change", () => {
    const record = { id: "1", status: "UP", message: "OK", lastup: "2026-03-12T17:01:11Z", lastdown: "never" };
    const { node, problems } = decode("device", record);
    expect(node).toMatchObject({ message: undefined, lastUp: undefined, lastDown: undefined });
    expect(problems).toEqual(noProblems());
  });

  test("takes no time with a megabyte", () => {
    const before = process.cpuUsage();
    expect(messageOf(`a${"\n".repeat(1_000_000)}b`)).toBe("a b");
    expect(messageOf("\ud83d \u0007".repeat(250_000))).toHaveLength(749_998);
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(10_000);
  });
});

test("a time in the future is ignored", () => {
  const record = { id: "1", status: "UP", lastup: "0001-01-01T00:00:00Z", lastdown: "" };
  const { node, problems } = decode("sensor", record);
  expect([node?.lastUp, node?.lastDown, problems]).toEqual([undefined, undefined, noProblems()]);
});
