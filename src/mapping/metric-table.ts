import { CHANNEL_FAMILIES } from "./families/channel-families.ts";
import type { LabelSet, LastLabel, MetricFamily, Stability } from "./families/family.ts";
import { CHANNEL_LABELS, SENSOR_LABELS } from "./families/labels.ts";
import { NODE_FAMILIES, PARENT_FAMILIES, SENSOR_FAMILIES } from "./families/node-families.ts";
import {
  COUNT_FAMILIES,
  DETAIL_FAMILIES,
  OUTAGE_DEVICE_FAMILIES,
  OUTAGE_FAMILIES,
  VERSION_FAMILIES,
} from "./families/server-families.ts";

/** A family without the parts that depend on the kind of its objects. */
export interface FamilyDeclaration {
  readonly name: string;
  readonly help: string;
  readonly stability?: Stability;
  readonly option?: string;
  readonly labels: LabelSet<never>;
  readonly lastLabel?: Pick<LastLabel<never, never>, "name">;
}

/**
 * All families about PRTG objects, in the order of the page. `docs/metrics.md` comes from here. Dashboards and alerts may use
 * nothing else.
 */
export const DECLARATIONS = {
  serverInfo: VERSION_FAMILIES.serverInfo,
  sensors: COUNT_FAMILIES.sensors,
  objects: COUNT_FAMILIES.objects,
  nodeStatusCode: PARENT_FAMILIES.nodeStatusCode,
  nodeSensors: PARENT_FAMILIES.nodeSensors,
  nodeLocation: PARENT_FAMILIES.nodeLocation,
  ...OUTAGE_FAMILIES,
  ...OUTAGE_DEVICE_FAMILIES,
  sensorStatus: SENSOR_FAMILIES.sensorStatus,
  sensorStatusCode: SENSOR_FAMILIES.sensorStatusCode,
  sensorInfo: SENSOR_FAMILIES.sensorInfo,
  deviceInfo: PARENT_FAMILIES.deviceInfo,
  sensorInterval: SENSOR_FAMILIES.sensorInterval,
  sensorDownDelay: SENSOR_FAMILIES.sensorDownDelay,
  sensorStatusSince: SENSOR_FAMILIES.sensorStatusSince,
  sensorLastMeasurement: SENSOR_FAMILIES.sensorLastMeasurement,
  ...NODE_FAMILIES,
  ...CHANNEL_FAMILIES,
  ...DETAIL_FAMILIES,
} as const satisfies Record<string, FamilyDeclaration>;

export type TreeFamilyName = keyof typeof DECLARATIONS;
/** Keys of the configuration that decide whether some families are served. */
export type FamilyOption = Extract<(typeof DECLARATIONS)[TreeFamilyName], { readonly option: string }>["option"];

/** The same families as they are served if the configuration changes no labels. */
export const TREE_FAMILIES = familiesWith(({ values }) => ["server", ...Object.keys(values)]);

/** S: the labels of a sensor. */
export const SENSOR_LABEL_NAMES: readonly string[] = Object.keys(SENSOR_LABELS.values);
/** C: the labels of a channel. */
export const CHANNEL_LABEL_NAMES: readonly string[] = Object.keys(CHANNEL_LABELS.values);

/** `namesOf`: the names of a label set, `server` included. */
export function familiesWith(
  namesOf: (labels: LabelSet<never>) => readonly string[],
): Readonly<Record<TreeFamilyName, MetricFamily>> {
  const entries = Object.entries<FamilyDeclaration>(DECLARATIONS).map(([key, family]) => {
    const { name, help, labels, lastLabel } = family;
    const last = lastLabel === undefined ? [] : [lastLabel.name];
    return [key, { name, type: "gauge", help, labels: [...namesOf(labels), ...last] }] as const;
  });
  return Object.fromEntries(entries) as Record<TreeFamilyName, MetricFamily>;
}
