import {
  bursts,
  fixed,
  mostly,
  octets,
  oneOf,
  plus,
  range,
  rate,
  shared,
  times,
  uptimeDays,
  whole,
} from "../curves.ts";
import type { ChannelTemplate, SensorKind } from "../sensor-kind.ts";
import { UNITS } from "../units.ts";

const SNMP_SILENT =
  "No response (check: firewalls, routing, snmp settings of device, IPs, SNMP version, community, passwords etc) (SNMP error # -2003)";
const ICMP_TIMEOUT = "Request timed out (ICMP error # 11010)";

const roundTrip = range({ low: [0.4, 12], high: [4, 70] });

function pingChannels(whole: { readonly whole?: true }): readonly [ChannelTemplate, ...ChannelTemplate[]] {
  const bounds = [0, 5000] as const;
  return [
    {
      name: "Ping Time",
      unit: UNITS.msec,
      curve: roundTrip,
      limits: { maxWarning: 150, maxError: 400 },
      bounds,
      group: "rtt",
      ...whole,
    },
    { name: "Minimum", unit: UNITS.msec, curve: times(roundTrip, 0.7), bounds, group: "rtt", ...whole },
    { name: "Maximum", unit: UNITS.msec, curve: times(roundTrip, 1.6), bounds, group: "rtt", ...whole },
    { name: "Packet Loss", unit: UNITS.percent, curve: times(bursts(0.02, 3), 20), bounds: [0, 100], whole: true },
  ];
}

const ping: SensorKind = {
  type: "ping",
  typeName: "Ping",
  names: ["Ping"],
  tags: ["pingsensor"],
  firstNumber: 0,
  channels: pingChannels({ whole: true }),
  usual: [3, 4],
  canBeFast: true,
  limited: 0.4,
  noAnswer: ICMP_TIMEOUT,
};

const pingV2: SensorKind = {
  ...ping,
  type: "paessler.icmp.ping_sensor",
  typeName: "Ping v2",
  names: ["Ping v2"],
  tags: ["pingsensor", "icmp"],
  firstNumber: 1,
  channels: pingChannels({}),
};

function trafficChannels(
  megabits: number,
  unit: typeof UNITS.mbit | typeof UNITS.kbit,
): readonly [ChannelTemplate, ...ChannelTemplate[]] {
  const shown = UNITS.mbit.factor / unit.factor;
  const link = (driver: number): ReturnType<typeof octets> =>
    octets(rate({ low: [megabits * 1e-5, megabits * 1e-3], high: [megabits * 0.01, megabits * 0.26], driver }), driver);
  const inbound = times(link(0), shown);
  const outbound = times(link(1), shown);
  const packets = (driver: number, share: number): ReturnType<typeof octets> => times(link(driver), share);
  return [
    {
      name: "Traffic Total",
      unit,
      curve: plus(inbound, outbound),
      number: -1,
      // A single direction can make up the whole of it, and that fits through the link.
      bounds: [0, megabits * shown],
      group: "traffic",
      limits: { maxWarning: megabits * 0.85 * shown, maxError: megabits * 0.93 * shown },
    },
    { name: "Traffic In", unit, curve: inbound, number: 0, bounds: [0, megabits * shown], group: "traffic" },
    { name: "Traffic Out", unit, curve: outbound, number: 1, bounds: [0, megabits * shown], group: "traffic" },
    {
      name: "Errors In",
      unit: UNITS.count,
      curve: bursts(0.01, 40, 2),
      number: 8,
      limits: { maxWarning: 100 },
      whole: true,
    },
    { name: "Errors Out", unit: UNITS.count, curve: bursts(0.008, 40, 3), number: 9, whole: true },
    { name: "Discards In", unit: UNITS.count, curve: bursts(0.02, 200, 4), number: 6, whole: true },
    { name: "Discards Out", unit: UNITS.count, curve: bursts(0.02, 200, 5), number: 7, whole: true },
    { name: "Unicast In", unit: UNITS.perSecond, curve: packets(0, 170), number: 2 },
    { name: "Unicast Out", unit: UNITS.perSecond, curve: packets(1, 150), number: 3 },
    { name: "Non-Unicast In", unit: UNITS.perSecond, curve: packets(0, 2.5), number: 4 },
    { name: "Non-Unicast Out", unit: UNITS.perSecond, curve: packets(1, 2), number: 5 },
  ];
}

const snmpTraffic: SensorKind = {
  type: "snmptraffic",
  typeName: "SNMP Traffic",
  names: ["({n}) GigabitEthernet1/0/{n} Traffic"],
  tags: ["bandwidthsensor", "snmptrafficsensor"],
  firstNumber: 0,
  channels: trafficChannels(1000, UNITS.mbit),
  usual: [3, 4],
  canBeFast: true,
  limited: 0.15,
  noAnswer: SNMP_SILENT,
};

const snmpTrafficWan: SensorKind = {
  ...snmpTraffic,
  names: ["WAN {n} Traffic"],
  channels: trafficChannels(20, UNITS.kbit),
  limited: 0.5,
};

const snmpUptime: SensorKind = {
  type: "snmpuptime",
  typeName: "SNMP System Uptime",
  names: ["SNMP System Uptime"],
  tags: ["snmpuptimesensor", "uptimesensor"],
  firstNumber: 0,
  channels: [{ name: "System Uptime", unit: UNITS.uptime, curve: uptimeDays(20, 500) }],
  usual: [1, 1],
  limited: 0,
  noAnswer: SNMP_SILENT,
};

const snmpHardware: SensorKind = {
  type: "snmpciscosystemhealth",
  typeName: "SNMP Cisco System Health",
  names: ["System Health Fan, PSU, Temperature"],
  tags: ["snmpciscosystemhealthsensor", "cisco"],
  firstNumber: 0,
  channels: [
    {
      name: "CPU Load",
      unit: UNITS.percent,
      curve: whole(range({ low: [2, 9], high: [15, 55] })),
      whole: true,
      bounds: [0, 100],
      limits: { maxWarning: 80, maxError: 92 },
    },
    {
      name: "Temperature",
      unit: UNITS.celsius,
      curve: whole(range({ low: [24, 32], high: [34, 46], rhythm: "sun", driver: 1 })),
      whole: true,
      bounds: [-20, 110],
      limits: { maxWarning: 60, maxError: 70 },
    },
    {
      name: "Temperature",
      unit: UNITS.celsius,
      curve: whole(range({ low: [26, 33], high: [35, 48], rhythm: "sun", driver: 2 })),
      whole: true,
    },
    {
      name: "Available Memory processor",
      unit: UNITS.percent,
      curve: range({ low: [70, 80], high: [40, 60], driver: 3 }),
      bounds: [0, 100],
    },
  ],
  repeated: {
    templates: [
      {
        name: "Fan {n}",
        unit: UNITS.rpm,
        curve: whole(range({ low: [2200, 3000], high: [3600, 5200], rhythm: "sun", driver: 4 })),
        whole: true,
      },
      { name: "Power Supply {n}", unit: UNITS.lookup, curve: mostly(1, [5], 0.002, 5), whole: true },
    ],
    label: String,
    max: 6,
  },
  usual: [3, 7],
  limited: 0.4,
  noAnswer: SNMP_SILENT,
};

/** What the management board of a server says. */
const serverHardware: SensorKind = {
  type: "snmpdellhardware",
  typeName: "SNMP Dell Hardware",
  names: ["Server Hardware"],
  tags: ["dell", "snmpdellhardwaresensor"],
  firstNumber: 0,
  channels: [
    {
      name: "Inlet Temperature",
      unit: UNITS.celsius,
      curve: whole(range({ low: [18, 20], high: [22, 27], rhythm: "sun" })),
      whole: true,
      bounds: [-20, 60],
      limits: { maxWarning: 35, maxError: 42 },
    },
    {
      name: "Exhaust Temperature",
      unit: UNITS.celsius,
      curve: whole(range({ low: [26, 30], high: [33, 44], driver: 1 })),
      whole: true,
      bounds: [-20, 90],
    },
    {
      name: "Power Consumption",
      unit: UNITS.watt,
      curve: whole(range({ low: [120, 190], high: [260, 480], driver: 1 })),
      whole: true,
      limits: { maxWarning: 620 },
    },
    { name: "Correctable Memory Errors", unit: UNITS.count, curve: bursts(0.004, 12, 2), whole: true },
  ],
  repeated: {
    templates: [
      {
        name: "Fan {n}",
        unit: UNITS.rpm,
        curve: whole(range({ low: [4200, 5200], high: [6400, 9800], driver: 1 })),
        whole: true,
      },
      {
        name: "Physical Disk {n} Temperature",
        unit: UNITS.celsius,
        curve: whole(range({ low: [27, 32], high: [36, 44], driver: 5 })),
        whole: true,
      },
    ],
    label: String,
    max: 8,
  },
  usual: [3, 7],
  limited: 0.4,
  noAnswer: SNMP_SILENT,
};

const snmpCustom: SensorKind = {
  type: "snmpcustom",
  typeName: "SNMP Custom",
  names: ["SNMP Custom Active Sessions"],
  tags: ["snmpcustomsensor"],
  firstNumber: 1,
  channels: [
    {
      name: "Value",
      unit: UNITS.plain,
      curve: range({ low: [3, 40], high: [60, 900] }),
      whole: true,
      limits: { maxWarning: 1200 },
    },
  ],
  usual: [1, 1],
  limited: 0.3,
  noAnswer: SNMP_SILENT,
};

const vpn: SensorKind = {
  type: "snmpciscoasavpnusers",
  typeName: "SNMP Cisco ASA VPN Users",
  names: ["VPN Users"],
  tags: ["vpn", "snmpciscoasavpnuserssensor"],
  firstNumber: 0,
  channels: [
    {
      name: "Users Online",
      unit: UNITS.count,
      curve: range({ low: [0, 8], high: [40, 180] }),
      whole: true,
      limits: { maxWarning: 240, maxError: 250 },
      bounds: [0, 400],
    },
    { name: "Users Offline", unit: UNITS.count, curve: shared(oneOf([0, 3, 12, 40])), whole: true },
  ],
  repeated: {
    templates: [{ name: "Tunnel {n}", unit: UNITS.lookup, curve: fixed(1, 1), whole: true }],
    label: (ordinal) => `site-${ordinal}`,
    max: 20,
  },
  usual: [2, 5],
  limited: 0.4,
  noAnswer: SNMP_SILENT,
};

const wireless: SensorKind = {
  type: "snmpcustomadvanced",
  typeName: "SNMP Custom Advanced",
  names: ["Radio {n}"],
  tags: ["wifi", "snmpcustomadvancedsensor"],
  firstNumber: 1,
  channels: [
    {
      name: "Clients",
      unit: UNITS.count,
      curve: range({ low: [0, 2], high: [6, 60] }),
      whole: true,
      limits: { maxWarning: 80 },
      bounds: [0, 200],
    },
    {
      name: "Channel Utilization",
      unit: UNITS.percent,
      curve: range({ low: [2, 12], high: [25, 75] }),
      whole: true,
      bounds: [0, 100],
    },
    {
      name: "Noise Floor",
      unit: UNITS.dbm,
      curve: range({ low: [-98, -94], high: [-92, -80], driver: 2 }),
      whole: true,
    },
    { name: "Radio Channel", unit: UNITS.plain, curve: oneOf([1, 6, 11, 36, 44, 100, 116], 3), whole: true },
    { name: "Transmit Power", unit: UNITS.dbm, curve: fixed(8, 23, 4), whole: true },
  ],
  usual: [2, 4],
  limited: 0.2,
  noAnswer: SNMP_SILENT,
};

export const NETWORK_KINDS = {
  ping,
  pingV2,
  snmpTraffic,
  snmpTrafficWan,
  snmpUptime,
  snmpHardware,
  serverHardware,
  snmpCustom,
  vpn,
  wireless,
};
