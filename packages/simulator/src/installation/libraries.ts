import type { SimNode } from "../world/model.ts";

/** A view of the tree that shows objects by what they are, not by where they are. */
export interface Library {
  readonly id: string;
  readonly name: string;
  readonly comment: string;
  readonly tags: readonly string[];
  /** 1 to 5. */
  readonly priority: number;
  readonly favorite: boolean;
  readonly active: boolean;
  readonly nodes: readonly LibraryNode[];
}

/** Shows all objects of a kind that have one of the tags. */
export interface LibraryNode {
  readonly name: string;
  readonly kind: "group" | "device" | "sensor";
  readonly tags: readonly string[];
}

export const LIBRARIES: readonly Library[] = [
  {
    id: "301",
    name: "Bandwidth",
    comment: "All lines, by role",
    tags: ["traffic"],
    priority: 4,
    favorite: true,
    active: true,
    nodes: [
      { name: "All Interfaces", kind: "sensor", tags: ["snmptrafficsensor"] },
      { name: "Routers", kind: "device", tags: ["router"] },
      { name: "Firewalls", kind: "device", tags: ["firewall"] },
    ],
  },
  {
    id: "302",
    name: "CPU, Disk & Memory",
    comment: "",
    tags: ["server"],
    priority: 3,
    favorite: false,
    active: true,
    nodes: [
      { name: "CPU", kind: "sensor", tags: ["cpu", "cpuloadsensor", "loadaveragesensor"] },
      { name: "Memory", kind: "sensor", tags: ["memory", "memorysensor"] },
      { name: "Disks", kind: "sensor", tags: ["disk", "diskspacesensor"] },
    ],
  },
  {
    id: "303",
    name: "Availability",
    comment: "What answers at all",
    tags: [],
    priority: 5,
    favorite: true,
    active: true,
    nodes: [
      { name: "Ping", kind: "sensor", tags: ["pingsensor"] },
      { name: "Web", kind: "sensor", tags: ["httpsensor", "http"] },
      { name: "Certificates", kind: "sensor", tags: ["certificate"] },
    ],
  },
  {
    id: "304",
    name: "Power & Climate",
    comment: "For the facility managers",
    tags: ["facility"],
    priority: 3,
    favorite: false,
    active: true,
    nodes: [
      { name: "UPS", kind: "device", tags: ["ups"] },
      { name: "Climate", kind: "sensor", tags: ["climate"] },
    ],
  },
  {
    id: "305",
    name: "Virtualization",
    comment: "Kept for the migration",
    tags: ["vmware"],
    priority: 1,
    favorite: false,
    active: false,
    nodes: [
      { name: "Hosts", kind: "device", tags: ["vmware"] },
      { name: "Virtual Machines", kind: "sensor", tags: ["virtualmachine"] },
    ],
  },
];

/** Whether a node of the library shows the object. */
export function shows({ kind, tags }: LibraryNode, node: SimNode): boolean {
  return node.kind === kind && node.tags.some((tag) => tags.includes(tag));
}
