import { describe, expect, test } from "vitest";
import type { SpellingName } from "../../src/records/spelling.ts";
import { startService } from "../support/running-service.ts";

/** By hand, for the static world, in both spellings. */

const ROOT = { id: "0", type: "REFERENCED_ROOT", name: "Root", href: "/api/v2/groups/0" };
const PROBE = { id: "1", type: "REFERENCED_PROBE", name: "Local Probe", href: "/api/v2/probes/1" };
const GROUP = { id: "10", type: "REFERENCED_GROUP", name: "Network", href: "/api/v2/groups/10" };
const DEVICE = { id: "100", type: "REFERENCED_DEVICE", name: "core-sw-1", href: "/api/v2/devices/100" };
const UPLINK = { id: "1001", type: "REFERENCED_SENSOR", name: "Uplink", href: "/api/v2/sensors/1001" };
const TRAFFIC = { id: "1001.1", type: "REFERENCED_CHANNEL", name: "Traffic In", href: "/api/v2/channels/1001.1" };

async function get(spelling: SpellingName, path: string): Promise<unknown> {
  const { send } = await startService({ spelling });
  const { status, json, text } = await send(path);
  expect(status, text).toBe(200);
  return json;
}

describe("records of live servers", () => {
  const live = (path: string) => get("live", path);

  test("a sensor", async () => {
    expect(await live("/sensors/1001")).toEqual({
      id: "1001",
      name: "Uplink",
      href: "/api/v2/sensors/1001",
      type: "SENSOR",
      kind: "snmptraffic",
      kind_name: "SNMP Traffic",
      favorite: true,
      parent: DEVICE,
      basic: { name: "Uplink", tags: ["wan"], parenttags: ["cisco", "net", "everything"], priority: "3" },
      status: "DOWN_ACKNOWLEDGED",
      status_since: "2026-03-12T17:02:11Z",
      message: "No response",
      lastup: "2026-03-12T17:01:11Z",
      lastdown: "2026-03-12T17:55:00Z",
    });
  });

  test("a sensor that is up has its last uptime and no downtime", async () => {
    const sensor = await live("/sensors/1000");
    expect(sensor).toMatchObject({ status: "UP", lastup: "2026-03-12T17:55:05Z" });
    expect(sensor).not.toHaveProperty("lastdown");
  });

  test("a device", async () => {
    expect(await live("/devices/100")).toEqual({
      id: "100",
      name: "core-sw-1",
      href: "/api/v2/devices/100",
      type: "DEVICE",
      kind: "device",
      kind_variant: "device",
      parent: GROUP,
      basic: {
        active: "1",
        name: "core-sw-1",
        host: "10.0.0.2",
        hostv6: "",
        ipversion: "0",
        priority: "3",
        tags: ["cisco"],
        parenttags: ["net", "everything"],
      },
      status: "UP",
    });
  });

  test("a channel", async () => {
    expect(await live("/channels/1001.1")).toEqual({
      id: "1001.1",
      name: "Traffic In",
      href: "/api/v2/channels/1001.1",
      kind: "channel",
      type: "CHANNEL",
      basic: { name: "Traffic In", displayunit: "Mbit/s", unittype: "BYTES_BANDWIDTH" },
      parent: UPLINK,
      last_measurement: {
        timestamp: "2026-03-12T17:55:00Z",
        value: 62500,
        display_value: 0.5,
        minimum: 62500,
        maximum: 62500,
        average: 62500,
        display_volume: 15,
      },
    });
  });

  test("a channel without a value and a channel without measurements", async () => {
    const nothing = { value: null, display_value: null, minimum: null, maximum: null, average: null };
    expect(await live("/channels/2000.3")).toMatchObject({
      last_measurement: { timestamp: "2026-03-12T17:54:40Z", ...nothing },
    });
    expect(await live("/channels/1002.0")).toMatchObject({ last_measurement: null });
  });

  test("settings of a channel are texts, empty by default", async () => {
    expect(await live("/channels/1000.0?include=alerting,values")).toMatchObject({
      alerting: {
        limitmode: "1",
        limitmaxerror: "250",
        limitmaxwarning: "",
        limitminwarning: "0.5",
        limitminerror: "",
        limiterrormsg: "",
        limitwarningmsg: "",
      },
      values: { unit: "msec", factor: "1", decimaldigits: "2" },
    });
  });

  test("paths end with the object itself", async () => {
    expect(await live("/channels/1001.1?include=path")).toMatchObject({
      path: [ROOT, PROBE, GROUP, DEVICE, UPLINK, TRAFFIC],
    });
    expect(await live("/sensors/1001?include=path")).toMatchObject({ path: [ROOT, PROBE, GROUP, DEVICE, UPLINK] });
  });

  test("a summary counts all statuses in words, with the total", async () => {
    const summary = {
      calculated_status: "DOWN_ACKNOWLEDGED",
      total: 3,
      none: 0,
      disconnected: 0,
      up: 1,
      down_acknowledged: 1,
      paused_by_user: 1,
      unknown: 0,
      collecting: 0,
      warning: 0,
      down: 0,
      paused_by_dependency: 0,
      paused_by_schedule: 0,
      unusual: 0,
      paused_by_license: 0,
      paused_by_user_until: 0,
      down_partial: 0,
    };
    expect(await live("/sensor-status-summary/1")).toEqual(summary);
    expect(await live("/probes/1?include=sensor_status_summary")).toMatchObject({ sensor_status_summary: summary });
    expect(await live("/sensor-status-summary")).toMatchObject({ total: 4, down: 1, calculated_status: "DOWN" });
  });

  test("a deprecated list summarises the sensors in the status of other objects, with a prefix", async () => {
    expect(await live("/devices")).toEqual([
      expect.objectContaining({ id: "100", status: "SUMMED_INFO_DOWN_ACKNOWLEDGED" }),
      expect.objectContaining({ id: "101", status: "SUMMED_INFO_PAUSED_BY_USER" }),
      {
        id: "200",
        name: "printer",
        status: "SUMMED_INFO_DOWN",
        path: [
          ROOT,
          { id: "2", type: "REFERENCED_PROBE", name: "Remote", href: "/api/v2/probes/2" },
          { id: "20", type: "REFERENCED_GROUP", name: "Remote LAN", href: "/api/v2/groups/20" },
          { id: "200", type: "REFERENCED_DEVICE", name: "printer", href: "/api/v2/devices/200" },
        ],
        favorite: false,
        priority: 3,
        scanning_interval: "60",
        tags: [],
        host: "10.2.0.9",
      },
    ]);
    expect(await live("/probes?sensor_status_summary=true&limit=1")).toMatchObject([
      { status: "SUMMED_INFO_DOWN_ACKNOWLEDGED", sensor_status_summary: { total: 3 } },
    ]);
  });

  test("the deprecated sensor list has the primary channel and Downtime, or all channels", async () => {
    const [ping, uplink] = (await live("/sensors")) as { channels: { id: string }[] }[];
    expect(ping?.channels.map(({ id }) => id)).toEqual(["1000.0", "1000.-4"]);
    expect(uplink).toEqual({
      id: "1001",
      name: "Uplink",
      status: "DOWN_ACKNOWLEDGED",
      path: [ROOT, PROBE, GROUP, DEVICE, UPLINK],
      favorite: true,
      priority: 3,
      scanning_interval: "30",
      tags: ["wan"],
      sensor_kind: "snmptraffic",
      message: "No response",
      status_since: "2026-03-12T17:02:11Z",
      channels: [expect.objectContaining({ id: "1001.1" })],
    });
    const [, all] = (await live("/sensors?include_all_channels=true")) as { channels: { id: string }[] }[];
    expect(all?.channels.map(({ id }) => id)).toEqual(["1001.1", "1001.2"]);
  });

  test("a channel info record", async () => {
    const [ping, , traffic] = (await live("/channels")) as unknown[];
    expect(traffic).toEqual({
      id: "1001.1",
      name: "Traffic In",
      internal_name: "Traffic In",
      unit: { display_unit: "Mbit/s", type: "BYTES_BANDWIDTH", decimal_digits: 2, custom: "" },
      path: [ROOT, PROBE, GROUP, DEVICE, UPLINK, TRAFFIC],
      limits: {
        limit_max_error: null,
        limit_max_warning: null,
        limit_min_warning: null,
        limit_min_error: null,
        limit_error_msg: "",
        limit_warning_msg: "",
      },
      manual_color: "",
      last_measurement: expect.objectContaining({ display_value: 0.5 }),
    });
    expect(ping).toMatchObject({ limits: { limit_max_error: 250, limit_min_warning: 0.5, limit_min_error: null } });
  });

  test("object counts have plural names", async () => {
    expect(await live("/objects/count")).toEqual({ probes: 2, groups: 3, devices: 3, sensors: 4, channels: 6 });
  });
});

describe("records of the specification", () => {
  const specified = (path: string) => get("specification", path);

  test("have lower-case tokens, typed values and times with milliseconds", async () => {
    expect(await specified("/sensors/1001")).toMatchObject({
      type: "sensor",
      status: "acknowledged",
      status_since: "2026-03-12T17:02:11.000Z",
      lastdown: "2026-03-12T17:55:00.000Z",
      basic: { priority: 3 },
      parent: DEVICE,
    });
    expect(await specified("/devices/100")).toMatchObject({ basic: { active: true, ipversion: 0 } });
  });

  test("have texts as displayed values of some channels", async () => {
    expect(await specified("/channels/1001.1")).toMatchObject({
      type: "channel",
      last_measurement: { value: 62500, display_value: "0.5", timestamp: "2026-03-12T17:55:00.000Z" },
    });
    expect(await specified("/channels/1001.2")).toMatchObject({ last_measurement: { display_value: 12 } });
  });

  test("omit missing measurements", async () => {
    expect(await specified("/channels/2000.3")).toMatchObject({
      last_measurement: { timestamp: "2026-03-12T17:54:40.000Z", value: null },
    });
    expect(await specified("/channels/2000.3")).not.toHaveProperty("last_measurement.display_value");
    expect(await specified("/channels/1002.0")).not.toHaveProperty("last_measurement");
  });

  test("have numbers as limits and omit unset limits", async () => {
    expect(await specified("/channels/1000.0?include=alerting")).toHaveProperty("alerting", {
      limitmode: true,
      limitmaxerror: 250,
      limitminwarning: 0.5,
      limiterrormsg: "",
      limitwarningmsg: "",
    });
  });

  test("have only reference types of the specification", async () => {
    expect(await specified("/channels/1001.1?include=path")).toMatchObject({
      path: [ROOT, PROBE, GROUP, DEVICE, UPLINK],
    });
    for (const path of ["/channels", "/channels/data", "/sensors/1001/data", "/experimental/objects?include=*"]) {
      expect(JSON.stringify(await specified(path))).not.toContain("REFERENCED_CHANNEL");
    }
    expect(await specified("/sensors/1001/data?limit=1")).toMatchObject([
      { channel: { ...TRAFFIC, type: "REFERENCED_SENSOR" } },
    ]);
  });

  test("have all tokens of the specification in a summary", async () => {
    expect(await specified("/sensor-status-summary")).toEqual({
      calculated_status: "down",
      total: 4,
      none: 0,
      unknown: 0,
      collecting: 0,
      up: 1,
      warning: 0,
      down: 1,
      disconnected: 0,
      pausedbyuser: 1,
      pausedbydependency: 0,
      pausedbyschedule: 0,
      unusual: 0,
      pausedbylicense: 0,
      pauseduntil: 0,
      acknowledged: 1,
      partialdown: 0,
    });
  });

  test("have the object's status and numeric durations in deprecated lists", async () => {
    expect(await specified("/devices")).toMatchObject([
      { status: "up", scanning_interval: 60 },
      { status: "up" },
      { status: "up" },
    ]);
  });

  test("count objects by type", async () => {
    expect(await specified("/objects/count")).toEqual({
      probe: 2,
      group: 3,
      device: 3,
      sensor: 4,
      channel: 6,
      library: 5,
      user: 10,
      usergroup: 6,
    });
  });
});

test("every node has the status spelling of the server", async () => {
  const { send, simulator } = await startService();
  const spelled = async (status: Parameters<typeof simulator.world.force>[1]) => {
    simulator.world.force("1000", status, 0);
    return ((await send("/sensors/1000")).json as { status: string }).status;
  };
  expect(await spelled("pauseduntil")).toBe("PAUSED_BY_USER_UNTIL");
  expect(await spelled("partialdown")).toBe("DOWN_PARTIAL");
  expect(await spelled("pausedbydependency")).toBe("PAUSED_BY_DEPENDENCY");
  expect(await spelled("none")).toBe("NONE");
});
