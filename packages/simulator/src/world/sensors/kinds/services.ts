import {
  bursts,
  drift,
  falling,
  fixed,
  floored,
  hoursSinceNightlyJob,
  mostly,
  oneOf,
  plus,
  range,
  rate,
  times,
} from "../curves.ts";
import type { SensorKind } from "../sensor-kind.ts";
import type { Trend } from "../trend.ts";
import { UNITS } from "../units.ts";

const HTTP_TIMEOUT = "Timeout (code: PE018)";

const firstByte = range({ low: [8, 40], high: [60, 260], rhythm: "shop" });
const transfer = range({ low: [4, 30], high: [40, 240], rhythm: "shop", driver: 1 });

const http: SensorKind = {
  type: "http",
  typeName: "HTTP",
  names: ["HTTP"],
  tags: ["httpsensor"],
  firstNumber: 0,
  channels: [
    {
      name: "Loading Time",
      unit: UNITS.msec,
      curve: plus(firstByte, transfer),
      whole: true,
      bounds: [0, 60_000],
      limits: { maxWarning: 800, maxError: 2000 },
      group: "time",
    },
  ],
  usual: [1, 1],
  canBeFast: true,
  limited: 0.4,
  noAnswer: HTTP_TIMEOUT,
};

const httpV2: SensorKind = {
  type: "paessler.http.http_sensor",
  typeName: "HTTP v2",
  names: ["HTTP v2"],
  tags: ["http", "httpv2sensor"],
  firstNumber: 1,
  channels: [
    {
      name: "Response Time",
      unit: UNITS.msec,
      curve: plus(firstByte, transfer),
      bounds: [0, 60_000],
      limits: { maxWarning: 700, maxError: 1500 },
      group: "time",
    },
    { name: "Time to First Byte", unit: UNITS.msec, curve: firstByte, bounds: [0, 60_000], group: "time" },
    { name: "Response Code", unit: UNITS.plain, curve: mostly(200, [204, 301], 0.01), whole: true },
    {
      name: "Bytes Received",
      unit: UNITS.kbyte,
      curve: times(plus(fixed(1100, 900_000, 3), range({ low: [0, 20], high: [40, 900], driver: 4 })), 1 / 1024),
    },
  ],
  usual: [2, 4],
  canBeFast: true,
  limited: 0.4,
  noAnswer: "503 Service Unavailable (code: PE213)",
};

const httpAdvanced: SensorKind = {
  type: "httpadvanced",
  typeName: "HTTP Advanced",
  names: ["Shop Front Page", "Shop Checkout", "Shop Search", "Login Page", "API Status"],
  tags: ["httpsensor", "httpadvancedsensor"],
  firstNumber: 0,
  channels: [
    {
      name: "Loading time",
      unit: UNITS.msec,
      curve: plus(firstByte, transfer),
      whole: true,
      bounds: [0, 60_000],
      limits: { maxWarning: 900, maxError: 3000 },
      group: "time",
    },
    { name: "Bytes received", unit: UNITS.kbyte, curve: range({ low: [20, 90], high: [100, 2400], driver: 2 }) },
    {
      name: "Download Bandwidth",
      unit: UNITS.kbit,
      curve: rate({ low: [400, 2000], high: [8000, 90_000], rhythm: "shop", driver: 3 }),
    },
    { name: "Time to first byte", unit: UNITS.msec, curve: firstByte, whole: true, bounds: [0, 60_000], group: "time" },
    { name: "Redirects", unit: UNITS.count, curve: oneOf([0, 0, 1, 2], 4), whole: true },
  ],
  usual: [3, 5],
  limited: 0.4,
  noAnswer: "HTTP/1.1 500 Internal Server Error (code: PE213)",
};

const CERTIFICATE_LINE: Trend = {
  days: [60, 340],
  full: undefined,
  ends: [
    { weight: 0.88, range: [29, 60] },
    { weight: 0.1, range: [8, 27] },
    { weight: 0.02, range: [-20, 6] },
  ],
};

/** Not signed by any authority. */
const selfSigned = oneOf([0, 0, 0, 1], 2);

const certificate: SensorKind = {
  type: "paessler.certificate.ssl_certificate_sensor",
  typeName: "SSL Certificate",
  names: ["SSL Certificate (Port 443)"],
  tags: ["sslcertificatesensor", "certificate"],
  firstNumber: 1,
  channels: [
    {
      name: "Days to Expiration",
      unit: UNITS.days,
      curve: floored(falling(CERTIFICATE_LINE)),
      whole: true,
      limits: { minWarning: 28, minError: 7 },
    },
    { name: "Common Name Check", unit: UNITS.lookup, curve: fixed(0, 0), whole: true },
    {
      name: "Root Authority Trusted",
      unit: UNITS.lookup,
      curve: plus(fixed(1, 1), times(selfSigned, -1)),
      whole: true,
    },
    { name: "Public Key Length", unit: UNITS.lookup, curve: oneOf([2048, 2048, 4096], 1), whole: true },
    { name: "Revoked", unit: UNITS.lookup, curve: fixed(0, 0), whole: true },
    { name: "Self-Signed", unit: UNITS.lookup, curve: selfSigned, whole: true },
    { name: "Resolution Time", unit: UNITS.msec, curve: range({ low: [1, 9], high: [12, 60] }) },
  ],
  usual: [2, 7],
  intervalSeconds: 3600,
  limited: 1,
  noAnswer: "Connection refused [Step 0] Socket error # 10061 (code: PE002)",
  trend: { channel: 0, line: CERTIFICATE_LINE },
};

const dns: SensorKind = {
  type: "paessler.dns.dns_sensor",
  typeName: "DNS v2",
  names: ["DNS v2"],
  tags: ["dns", "dnssensor"],
  firstNumber: 1,
  channels: [
    {
      name: "Response Time",
      unit: UNITS.msec,
      curve: range({ low: [0.3, 3], high: [5, 40] }),
      bounds: [0, 5000],
      limits: { maxWarning: 120, maxError: 500 },
    },
    { name: "Records Resolved", unit: UNITS.count, curve: oneOf([1, 2, 4], 1), whole: true },
  ],
  usual: [1, 2],
  canBeFast: true,
  limited: 0.3,
  noAnswer: "Timeout while waiting for the name server (code: PE018)",
};

const port: SensorKind = {
  type: "port",
  typeName: "Port",
  names: ["Port 22", "Port 25", "Port 443", "Port 3389", "Port 8443"],
  tags: ["portsensor"],
  firstNumber: 0,
  channels: [
    {
      name: "Available",
      unit: UNITS.msec,
      curve: range({ low: [0.5, 4], high: [6, 80] }),
      whole: true,
      bounds: [0, 5000],
      limits: { maxWarning: 200 },
    },
  ],
  usual: [1, 1],
  canBeFast: true,
  limited: 0.2,
  noAnswer: "Connection refused (Socket error # 10061)",
};

const ntp: SensorKind = {
  type: "ntp",
  typeName: "SNTP",
  names: ["SNTP"],
  tags: ["sntpsensor"],
  firstNumber: 0,
  channels: [
    {
      name: "Difference",
      unit: UNITS.microsecond,
      curve: drift(900),
      bounds: [-1e6, 1e6],
      limits: { maxWarning: 5000, minWarning: -5000 },
    },
    { name: "Response Time", unit: UNITS.msec, curve: range({ low: [2, 9], high: [12, 70] }), whole: true },
  ],
  usual: [1, 2],
  limited: 0.5,
  noAnswer: "No answer from the time server (code: PE018)",
};

const mailQueue: SensorKind = {
  type: "exchangepsmailqueue",
  typeName: "Exchange Mail Queue (PowerShell)",
  names: ["Mail Queue"],
  tags: ["mail", "exchange"],
  firstNumber: 1,
  channels: [
    {
      name: "Queued Mails",
      unit: UNITS.count,
      curve: range({ low: [0, 2], high: [6, 90] }),
      whole: true,
      limits: { maxWarning: 150, maxError: 400 },
    },
    { name: "Retry Mails", unit: UNITS.count, curve: bursts(0.05, 25, 1), whole: true },
    { name: "Unreachable Mails", unit: UNITS.count, curve: bursts(0.01, 8, 2), whole: true },
    { name: "Poison Mails", unit: UNITS.count, curve: bursts(0.002, 2, 3), whole: true },
  ],
  usual: [2, 4],
  intervalSeconds: 300,
  limited: 0.6,
  noAnswer: "The PowerShell host did not answer (code: PE132)",
};

const backup: SensorKind = {
  type: "veeamjobstatus",
  typeName: "Veeam Backup Job Status",
  names: ["Backup Jobs"],
  tags: ["backup", "veeam"],
  firstNumber: 1,
  channels: [
    { name: "Failed Jobs", unit: UNITS.count, curve: bursts(0.002, 2), whole: true, limits: { maxWarning: 4 } },
    { name: "Warning Jobs", unit: UNITS.count, curve: bursts(0.01, 4, 1), whole: true },
    { name: "Successful Jobs", unit: UNITS.count, curve: oneOf([6, 14, 40, 112], 2), whole: true },
    { name: "Last Backup", unit: UNITS.hours, curve: hoursSinceNightlyJob(3) },
    {
      name: "Repository Throughput",
      unit: UNITS.mbytePerSecond,
      curve: rate({ low: [0.01, 0.1], high: [80, 700], rhythm: "night", driver: 4 }),
    },
  ],
  usual: [3, 5],
  intervalSeconds: 3600,
  limited: 0.5,
  noAnswer: "The backup server did not answer (code: PE018)",
};

/** A script of the customer's own: any channels, any units, and names that repeat. */
const script: SensorKind = {
  type: "exexml",
  typeName: "EXE/Script Advanced",
  names: ["Order Pipeline", "Assembly Line", "Nightly Import", "Licence Counter"],
  tags: ["exesensor", "xmlexesensor"],
  firstNumber: 0,
  channels: [
    {
      name: "Orders",
      unit: UNITS.orders,
      curve: range({ low: [0, 6], high: [30, 400], rhythm: "shop" }),
      whole: true,
      limits: { maxWarning: 600 },
    },
    { name: "Value", unit: UNITS.plain, curve: range({ low: [0, 5], high: [10, 90], rhythm: "steady", driver: 1 }) },
    { name: "Value", unit: UNITS.widgets, curve: range({ low: [0, 5], high: [10, 90], driver: 2 }), whole: true },
    { name: "Balance", unit: UNITS.plain, curve: drift(240, 3) },
  ],
  repeated: {
    templates: [
      {
        name: "Station {n}",
        unit: UNITS.widgets,
        curve: range({ low: [0, 12], high: [40, 300], driver: 4 }),
        whole: true,
      },
    ],
    label: String,
    max: 45,
  },
  usual: [2, 8],
  limited: 0.3,
  noAnswer: "XML: Structural error in xml file, maybe missing tags (code: PE231)",
};

export const SERVICE_KINDS = { http, httpV2, httpAdvanced, certificate, dns, port, ntp, mailQueue, backup, script };
