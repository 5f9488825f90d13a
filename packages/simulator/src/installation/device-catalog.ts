import templates from "../../data/device-templates.json" with { type: "json" };

/** Which sensors an auto-discovery may put on the devices that it finds. */
export interface DeviceTemplate {
  /** The name of its file. */
  readonly id: string;
  readonly name: string;
  /** Kinds of the sensors that it creates. */
  readonly sensorKinds: readonly string[];
}

export const DEVICE_TEMPLATES: readonly DeviceTemplate[] = templates;

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
