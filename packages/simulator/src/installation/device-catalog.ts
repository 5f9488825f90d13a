/** Which sensors an auto-discovery may put on the devices that it finds. */
export interface DeviceTemplate {
  /** The name of its file. */
  readonly id: string;
  readonly name: string;
  /** Kinds of the sensors that it creates. */
  readonly sensorKinds: readonly string[];
}

export const DEVICE_TEMPLATES: readonly DeviceTemplate[] = [
  template("apc-ups-snmp", "UPS (APC, SNMP)", ["ping", "snmpapchardware", "snmpuptime"]),
  template("cisco-asa-snmp", "Firewall (Cisco ASA, SNMP)", ["ping", "snmpcpuload", "snmpciscoasavpnusers"]),
  template("cisco-switch-snmp", "Switch (Cisco, SNMP)", ["ping", "snmpciscosystemhealth", "snmptraffic", "snmpuptime"]),
  template("generic-ping", "Generic Device (PING only)", ["ping"]),
  template("generic-snmp", "Generic Device (SNMP)", ["ping", "snmptraffic", "snmpuptime"]),
  template("hypervisor-vmware", "Hypervisor (VMware ESXi)", ["ping", "esxserversensorextern"]),
  template("linux-ssh", "Server (Linux, SSH)", ["ping", "sshloadaverage", "snmpmemory"]),
  template("mail-server-exchange", "Mail Server (Exchange)", ["ping", "exchangepsmailqueue", "port"]),
  template("nas-synology-snmp", "NAS (Synology, SNMP)", ["ping", "snmpsynologylogicaldisk"]),
  template("printer-snmp", "Printer (SNMP)", ["ping", "snmpprinter"]),
  template("sql-server", "Server (Microsoft SQL)", ["ping", "wmisqlserver2019", "wmidiskspace"]),
  template("web-server", "Web Server", ["ping", "http", "paessler.certificate.ssl_certificate_sensor"]),
  template("windows-wmi", "Server (Windows, WMI)", ["ping", "wmidiskspace", "wmiservice", "wmiuptime"]),
];

function template(file: string, name: string, sensorKinds: readonly string[]): DeviceTemplate {
  return { id: `${file}.odt`, name, sensorKinds };
}

export function deviceTemplate(id: string): DeviceTemplate | undefined {
  return DEVICE_TEMPLATES.find((known) => known.id === id);
}

/** A picture that a device can be shown with. */
export interface DeviceIcon {
  /** Without the extension. */
  readonly id: string;
  /** File types that it exists in. */
  readonly extensions: readonly string[];
}

const DRAWN = ["svg", "png"] as const;
const BITMAP = ["png"] as const;

export const DEVICE_ICONS: readonly DeviceIcon[] = [
  ...["a_server_1", "camera", "cloud", "database", "desktop", "disk", "firewall", "generic", "laptop"].map(drawn),
  ...["load_balancer", "mail", "phone", "printer", "router", "server_rack", "storage", "switch", "tablet"].map(drawn),
  ...["thermometer", "ups", "virtual_machine", "web", "wireless"].map(drawn),
  ...["vendors_apc", "vendors_cisco", "vendors_synology", "vendors_vmware"].map(bitmap),
];

function drawn(id: string): DeviceIcon {
  return { id, extensions: DRAWN };
}

function bitmap(id: string): DeviceIcon {
  return { id, extensions: BITMAP };
}
