import type { NodeKind } from "../world/objects.ts";

/** A setting that can be written. */
export interface SettingField {
  readonly name: string;
  readonly type: "text" | "integer" | "texts";
  /** What an integer can be. */
  readonly allowed?: readonly number[];
  /** What a new object must be given. */
  readonly required?: readonly NodeKind[];
  /** Of these kinds only; all without it. */
  readonly kinds?: readonly NodeKind[];
  readonly mayBeEmpty?: true;
}

export interface SettingSection {
  readonly name: "basic" | "intervalgroup" | "scheduledependency" | "windowsconnection";
  readonly kinds: readonly NodeKind[];
  readonly fields: readonly SettingField[];
}

const ALL = ["probe", "group", "device", "sensor"] as const;
const DEVICE = ["device"] as const;

/** The intervals that the product offers, in seconds. */
const INTERVALS = [10, 30, 60, 300, 600, 900, 1800, 3600, 14_400, 21_600, 43_200, 86_400] as const;

/**
 * What can be written of the objects of the tree, section by section. "Names of settings sections and their fields per
 * object kind: not shown beyond those listed". Ours: of `basic`, `priority` and `ipversion` (0: IPv4, 1: IPv6), which live
 * servers send; of `scheduledependency` all (`dependencytype` 0: the parent, 1: the object that `dependency` names). `parenttags`
 * and `active` follow from other things and cannot be written.
 */
export const SETTING_SECTIONS: readonly SettingSection[] = [
  {
    name: "basic",
    kinds: ALL,
    fields: [
      { name: "name", type: "text", required: ["group", "device"] },
      { name: "host", type: "text", kinds: DEVICE, required: DEVICE },
      { name: "hostv6", type: "text", kinds: DEVICE, mayBeEmpty: true },
      { name: "ipversion", type: "integer", allowed: [0, 1], kinds: DEVICE },
      { name: "tags", type: "texts" },
      { name: "priority", type: "integer", allowed: [1, 2, 3, 4, 5] },
    ],
  },
  {
    name: "intervalgroup",
    kinds: ALL,
    fields: [
      { name: "interval", type: "integer", allowed: INTERVALS },
      { name: "errorintervalsdown", type: "integer", allowed: [0, 1, 2, 3, 4, 5] },
    ],
  },
  {
    name: "scheduledependency",
    kinds: ALL,
    fields: [
      { name: "schedule", type: "text" },
      { name: "dependencytype", type: "integer", allowed: [0, 1] },
      { name: "dependency", type: "text" },
    ],
  },
  {
    // Windows credentials belong to what holds devices; sensors have none of their own.
    name: "windowsconnection",
    kinds: ["probe", "group", "device"],
    fields: [
      { name: "windowslogindomain", type: "text", mayBeEmpty: true },
      { name: "windowsloginusername", type: "text", mayBeEmpty: true },
      { name: "windowsloginpassword", type: "text", mayBeEmpty: true },
    ],
  },
];

/** What can be written of a kind of objects. */
export function settingSectionsOf(kind: NodeKind): readonly SettingSection[] {
  return SETTING_SECTIONS.filter(({ kinds }) => kinds.includes(kind)).map((section) => ({
    ...section,
    fields: section.fields.filter(({ kinds }) => kinds === undefined || kinds.includes(kind)),
  }));
}
