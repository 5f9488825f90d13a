/** What a value that is looked up does to its channel. */
export type LookupState = "ok" | "warning" | "error" | "none";

export interface LookupEntry {
  /** The value, or the first of a range. */
  readonly value: number;
  /** The last value of a range. */
  readonly to?: number;
  readonly text: string;
  readonly state: LookupState;
}

/** Our reading: the types are not listed in the specification. */
export const LOOKUP_TYPES = ["single", "range", "bitfield", "boolean"] as const;
export type LookupType = (typeof LOOKUP_TYPES)[number];

/** Texts and states for the values of channels that are codes. */
export interface Lookup {
  readonly id: string;
  readonly name: string;
  readonly type: LookupType;
  /** The value that a graph draws at the top. */
  readonly desiredValue: number;
  /** By ascending value. */
  readonly entries: readonly LookupEntry[];
  /** Which channels it is for: kinds of sensors, and names of their channels. */
  readonly channels: readonly { readonly kind: string; readonly name: RegExp }[];
}

/** Every channel of the simulated world that shows codes has one of these; other worlds may have more. */
export const LOOKUPS: readonly Lookup[] = [
  {
    id: "prtg.simulated.battery.status",
    name: "UPS Battery Status",
    type: "single",
    desiredValue: 2,
    entries: [
      { value: 1, text: "Unknown", state: "none" },
      { value: 2, text: "Normal", state: "ok" },
      { value: 3, text: "Low", state: "warning" },
      { value: 4, text: "In Fault Condition", state: "error" },
    ],
    channels: [{ kind: "snmpapchardware", name: /^Battery Status$/ }],
  },
  {
    id: "prtg.simulated.certificate.commonname",
    name: "Certificate Common Name",
    type: "single",
    desiredValue: 0,
    entries: [
      { value: 0, text: "Matches", state: "ok" },
      { value: 1, text: "Does Not Match", state: "error" },
      { value: 2, text: "Not Checked", state: "none" },
    ],
    channels: [{ kind: "paessler.certificate.ssl_certificate_sensor", name: /^Common Name Check$/ }],
  },
  {
    id: "prtg.simulated.certificate.keylength",
    name: "Certificate Key Length",
    type: "range",
    desiredValue: 4096,
    entries: [
      { value: 0, to: 1023, text: "Unsafe", state: "error" },
      { value: 1024, to: 2047, text: "Weak", state: "warning" },
      { value: 2048, to: 3071, text: "Good", state: "ok" },
      { value: 3072, to: 16_384, text: "Very Good", state: "ok" },
    ],
    channels: [{ kind: "paessler.certificate.ssl_certificate_sensor", name: /^Public Key Length$/ }],
  },
  {
    id: "prtg.simulated.certificate.revoked",
    name: "Certificate Revocation",
    type: "single",
    desiredValue: 0,
    entries: [
      { value: 0, text: "Not Revoked", state: "ok" },
      { value: 1, text: "Revoked", state: "error" },
    ],
    channels: [{ kind: "paessler.certificate.ssl_certificate_sensor", name: /^Revoked$/ }],
  },
  {
    id: "prtg.simulated.certificate.selfsigned",
    name: "Certificate Origin",
    type: "boolean",
    desiredValue: 0,
    entries: [
      { value: 0, text: "Signed by an Authority", state: "ok" },
      { value: 1, text: "Self-Signed", state: "none" },
    ],
    channels: [{ kind: "paessler.certificate.ssl_certificate_sensor", name: /^Self-Signed$/ }],
  },
  {
    id: "prtg.simulated.certificate.trusted",
    name: "Certificate Root Authority",
    type: "boolean",
    desiredValue: 1,
    entries: [
      { value: 0, text: "Not Trusted", state: "warning" },
      { value: 1, text: "Trusted", state: "ok" },
    ],
    channels: [{ kind: "paessler.certificate.ssl_certificate_sensor", name: /^Root Authority Trusted$/ }],
  },
  {
    id: "prtg.simulated.disk.status",
    name: "Disk Status",
    type: "single",
    desiredValue: 1,
    entries: [
      { value: 1, text: "Normal", state: "ok" },
      { value: 2, text: "Initialized", state: "ok" },
      { value: 3, text: "Not Initialized", state: "warning" },
      { value: 4, text: "System Partition Failed", state: "error" },
      { value: 5, text: "Crashed", state: "error" },
    ],
    channels: [{ kind: "snmpsynologylogicaldisk", name: /^Disk .+ Status$/ }],
  },
  {
    id: "prtg.simulated.door",
    name: "Rack Door",
    type: "boolean",
    desiredValue: 0,
    entries: [
      { value: 0, text: "Closed", state: "ok" },
      { value: 1, text: "Open", state: "warning" },
    ],
    channels: [{ kind: "snmpcustomtable", name: /^Door$/ }],
  },
  {
    id: "prtg.simulated.paper.tray",
    name: "Paper Tray",
    type: "bitfield",
    desiredValue: 0,
    entries: [
      { value: 0, text: "Ready", state: "ok" },
      { value: 1, text: "Low on Paper", state: "warning" },
      { value: 2, text: "Empty", state: "warning" },
      { value: 4, text: "Jammed", state: "error" },
    ],
    channels: [{ kind: "snmpprinter", name: /^Paper Tray/ }],
  },
  {
    id: "prtg.simulated.power.state",
    name: "Virtualization Power State",
    type: "single",
    desiredValue: 1,
    entries: [
      { value: 0, text: "Powered Off", state: "error" },
      { value: 1, text: "Powered On", state: "ok" },
      { value: 2, text: "Suspended", state: "warning" },
    ],
    channels: [{ kind: "esxserversensorextern", name: /^Power state$/ }],
  },
  {
    id: "prtg.simulated.power.supply",
    name: "Power Supply State",
    type: "single",
    desiredValue: 1,
    entries: [
      { value: 1, text: "Normal", state: "ok" },
      { value: 2, text: "Warning", state: "warning" },
      { value: 3, text: "Critical", state: "error" },
      { value: 4, text: "Shutdown", state: "error" },
      { value: 5, text: "Not Present", state: "none" },
      { value: 6, text: "Not Functioning", state: "error" },
    ],
    channels: [{ kind: "snmpciscosystemhealth", name: /^Power Supply / }],
  },
  {
    id: "prtg.simulated.service.state",
    name: "Windows Service State",
    type: "single",
    desiredValue: 4,
    entries: [
      { value: 1, text: "Stopped", state: "error" },
      { value: 2, text: "Start Pending", state: "warning" },
      { value: 3, text: "Stop Pending", state: "warning" },
      { value: 4, text: "Running", state: "ok" },
      { value: 7, text: "Paused", state: "warning" },
    ],
    channels: [{ kind: "wmiservice", name: /^Current State$/ }],
  },
  {
    id: "prtg.simulated.tunnel.state",
    name: "VPN Tunnel State",
    type: "boolean",
    desiredValue: 1,
    entries: [
      { value: 0, text: "Not Connected", state: "error" },
      { value: 1, text: "Connected", state: "ok" },
    ],
    channels: [{ kind: "snmpciscoasavpnusers", name: /^Tunnel / }],
  },
];

const LOOKUP_UNIT = "VALUE_LOOKUP";

/** What tells which lookup a channel has: not its name, which people change. */
export interface ChannelKind {
  /** Of the sensor. */
  readonly kind: string;
  /** That a new channel of the kind is given. */
  readonly name: string;
  readonly unitType: string;
}

/** The lookup of channels that show codes; undefined for all others. */
export function lookupFor({ kind, name, unitType }: ChannelKind): Lookup | undefined {
  if (unitType !== LOOKUP_UNIT) return undefined;
  return LOOKUPS.find(({ channels }) => channels.some((own) => own.kind === kind && own.name.test(name)));
}

/** The lookup of a channel. */
export function lookupOf({ lookupId }: { readonly lookupId?: string | undefined }): Lookup | undefined {
  return lookupId === undefined ? undefined : lookupById(lookupId);
}

export function lookupById(id: string): Lookup | undefined {
  return LOOKUPS.find((lookup) => lookup.id === id);
}

/** Text and state of a value; undefined for one that the lookup does not have. */
export function entryOf({ type, entries }: Lookup, value: number): LookupEntry | undefined {
  if (type === "range") return entries.find((entry) => value >= entry.value && value <= (entry.to ?? entry.value));
  return entries.find((entry) => entry.value === value);
}
