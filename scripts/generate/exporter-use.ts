import type { OperationId } from "prtg-simulator/src/api/contract/types.ts";

const STAND_IN = "replacement on servers without the successor";

/** A test compares it with the client's requests. */
export const EXPORTER_USE: Readonly<Partial<Record<OperationId, string>>> = {
  openSession: "login with user name and password",
  renewSession: "renewal of the session",
  closeSession: "end of the session at shutdown",
  getHealth: "health of the server, and recovery of a broken connection",
  getVersion: "release of the server",
  countObjects: "number of objects per kind",
  getSensorStatusSummary: "number of sensors per status",
  listProbes: "the tree: probes",
  listGroups: "the tree: groups",
  listDevices: "the tree: devices",
  listSensors: "the tree: sensors, and their status",
  getSensor: "comparison with its metrics (`check --compare`)",
  getChannel: "comparison with its metrics (`check --compare`)",
  listChannels: "values, units, limits and lookups of channels",
  listUsers: "whether the credentials belong to an administrator (`init` and `check`)",
  listLookupDefinitions: "texts of channel states",
  listProbeInfo: STAND_IN,
  listGroupInfo: STAND_IN,
  listDeviceInfo: STAND_IN,
  listSensorInfo: STAND_IN,
  listChannelInfo: STAND_IN,
  listObjects: "replacement on servers without the list of a kind",
  acknowledgeSensor: "acknowledgement of a silenced sensor (`sync`). `serve` never sends it.",
  getTimeSeries: "all scans between two polls, and backfill",
  getTimeSeriesOfRange: STAND_IN,
};
