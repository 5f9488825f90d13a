import { APPLICATION_KINDS } from "../sensors/kinds/applications.ts";
import { FACILITY_KINDS } from "../sensors/kinds/facilities.ts";
import { NETWORK_KINDS } from "../sensors/kinds/network.ts";
import { PRODUCT_KINDS } from "../sensors/kinds/product.ts";
import { SERVER_KINDS } from "../sensors/kinds/servers.ts";
import { SERVICE_KINDS } from "../sensors/kinds/services.ts";
import type { SensorKind } from "../sensors/sensor-kind.ts";
import type { Category } from "./sites.ts";

/** What a device is, and which sensors people put on it. */
export interface DeviceRole {
  /** Name without its number. */
  readonly name: string;
  readonly tags: readonly string[];
  /** Sensors such a device has, compared with others. */
  readonly weight: number;
  readonly core: readonly SensorKind[];
  /** Come round and round when the device has more sensors than `core`. */
  readonly more: readonly [SensorKind, ...SensorKind[]];
}

const { ping, pingV2, snmpTraffic, snmpTrafficWan, snmpUptime, snmpHardware, serverHardware } = NETWORK_KINDS;
const { snmpCustom, vpn, wireless } = NETWORK_KINDS;
const { snmpCpu, snmpCpuUsage, snmpMemory, diskFreeSensor, systemUptime, process, service, linuxLoad } = SERVER_KINDS;
const { vmHost, virtualMachine, database } = APPLICATION_KINDS;
const { http, httpV2, httpAdvanced, certificate, dns, port, ntp, mailQueue, backup, script } = SERVICE_KINDS;
const { ups, climate, power, printer, storagePool, linuxDisk, datastore } = FACILITY_KINDS;
const { probeHealth, coreHealth } = PRODUCT_KINDS;

export const CORE_SERVER_ROLE: DeviceRole = {
  name: "Probe Device",
  tags: [],
  weight: 9,
  core: [coreHealth, probeHealth, diskFreeSensor, pingV2, snmpCpuUsage, snmpMemory, certificate],
  more: [snmpTraffic, process, service, dns],
};

export const PROBE_ROLE: DeviceRole = {
  ...CORE_SERVER_ROLE,
  weight: 6,
  core: [probeHealth, diskFreeSensor, pingV2, snmpCpuUsage, snmpMemory],
};

const coreSwitch: DeviceRole = {
  name: "core-sw",
  tags: ["switch", "cisco"],
  weight: 20,
  core: [pingV2, snmpHardware, snmpCpuUsage, snmpUptime],
  more: [snmpTraffic],
};
const accessSwitch: DeviceRole = {
  name: "access-sw",
  tags: ["switch"],
  weight: 14,
  core: [ping, snmpUptime, snmpCpu],
  more: [snmpTraffic],
};
const router: DeviceRole = {
  name: "edge-router",
  tags: ["router", "cisco"],
  weight: 12,
  core: [pingV2, pingV2, snmpCpuUsage, snmpHardware, snmpTrafficWan, snmpUptime],
  more: [snmpTraffic, snmpTrafficWan],
};
const firewall: DeviceRole = {
  name: "firewall",
  tags: ["firewall"],
  weight: 12,
  core: [ping, snmpCpu, snmpMemory, vpn, snmpCustom, snmpTrafficWan, certificate],
  more: [snmpTraffic, snmpTrafficWan, snmpCustom],
};
const accessPoint: DeviceRole = {
  name: "ap",
  tags: ["wifi", "accesspoint"],
  weight: 5,
  core: [ping, wireless, wireless, snmpUptime],
  more: [wireless, snmpTraffic],
};
const windowsServer: DeviceRole = {
  name: "win-srv",
  tags: ["windows", "server"],
  weight: 12,
  core: [ping, snmpCpu, snmpMemory, diskFreeSensor, systemUptime, service, service, process],
  more: [service, process, snmpTraffic, port],
};
const mailServer: DeviceRole = {
  name: "mail",
  tags: ["windows", "mail"],
  weight: 10,
  core: [ping, mailQueue, certificate, port, port, snmpCpu, snmpMemory, diskFreeSensor],
  more: [process, service, mailQueue],
};
const linuxServer: DeviceRole = {
  name: "linux-srv",
  tags: ["linux", "server"],
  weight: 11,
  core: [pingV2, linuxLoad, snmpMemory, linuxDisk, snmpUptime, ntp],
  more: [snmpTraffic, port, script, dns],
};
const vmServer: DeviceRole = {
  name: "esx",
  tags: ["vmware", "host"],
  weight: 14,
  core: [ping, vmHost, datastore, serverHardware],
  more: [virtualMachine, virtualMachine, virtualMachine, datastore],
};
const databaseServer: DeviceRole = {
  name: "db",
  tags: ["database", "sql"],
  weight: 11,
  core: [pingV2, database, snmpCpuUsage, snmpMemory, diskFreeSensor, backup, service],
  more: [database, process, service],
};
const storage: DeviceRole = {
  name: "nas",
  tags: ["storage"],
  weight: 10,
  core: [ping, storagePool, storagePool, snmpUptime, backup],
  more: [storagePool, snmpTraffic],
};
const upsDevice: DeviceRole = {
  name: "ups",
  tags: ["ups", "power"],
  weight: 4,
  core: [ping, ups, snmpUptime],
  more: [power, climate],
};
const climateStation: DeviceRole = {
  name: "rack-sensor",
  tags: ["climate"],
  weight: 5,
  core: [ping, climate, climate],
  more: [climate, power],
};
const printerDevice: DeviceRole = {
  name: "printer",
  tags: ["printer"],
  weight: 4,
  core: [ping, printer, snmpUptime],
  more: [snmpTraffic, http],
};
const webShop: DeviceRole = {
  name: "shop",
  tags: ["web", "shop"],
  weight: 11,
  core: [httpV2, certificate, httpAdvanced, pingV2, httpAdvanced, dns, http, script],
  more: [httpAdvanced, httpV2, script, port],
};

const ROLES: Readonly<Record<Category, readonly [DeviceRole, ...DeviceRole[]]>> = {
  mixed: [coreSwitch, windowsServer, webShop, firewall, linuxServer, upsDevice, printerDevice, vmServer],
  switches: [coreSwitch, accessSwitch, accessSwitch],
  routers: [router, firewall],
  wireless: [accessPoint],
  windows: [windowsServer, windowsServer, mailServer],
  linux: [linuxServer],
  virtual: [vmServer],
  database: [databaseServer],
  storage: [storage],
  power: [upsDevice, climateStation],
  printers: [printerDevice],
  web: [webShop],
};

/** Role of the n-th device of a group. */
export function roleOf(category: Category, position: number): DeviceRole {
  const roles = ROLES[category];
  return roles[position % roles.length] ?? roles[0];
}

/** Kinds of the first `count` sensors of a device. */
export function sensorKindsOf(role: DeviceRole, count: number): SensorKind[] {
  return Array.from({ length: count }, (_, index) => {
    return role.core[index] ?? role.more[(index - role.core.length) % role.more.length] ?? role.more[0];
  });
}
