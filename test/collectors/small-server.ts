import type { ChannelRecord } from "../../src/prtg/records.ts";
import { ROOT, record } from "../model/build-record.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { MemoryServer } from "./memory-server.ts";

export function channel(id: string, more: Partial<ChannelRecord> = {}): ChannelRecord {
  const [sensorId = "", channelId = ""] = id.split(".");
  return {
    sensorId,
    channelId,
    name: `channel ${channelId}`,
    unit: "%",
    value: 50,
    measuredAt: undefined,
    limits: undefined,
    ...more,
  };
}

/** Probe 1, group 10, device 40, sensor 50 with channels 0 and 1, sensor 51 with channel 0. */
export function smallServer(measuredAt: number = new ManualClock().now()): MemoryServer {
  const server = new MemoryServer();
  server.put(
    record("probe", "1", ROOT, { name: "Berlin" }),
    record("group", "10", "1", { name: "Network" }),
    record("device", "40", "10", { name: "sw-1" }),
    record("sensor", "50", "40", { name: "Uplink", intervalSeconds: 60 }),
    record("sensor", "51", "40", { name: "Ping", intervalSeconds: 600 }),
  );
  server.channelRecords = ["50.0", "50.1", "51.0"].map((id) => channel(id, { measuredAt }));
  return server;
}
