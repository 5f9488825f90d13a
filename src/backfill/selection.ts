import { pathGlob } from "../lib/glob.ts";
import type { TreeNode } from "../model/tree.ts";

/** Which sensors to take. Each list that is not empty must have something that fits. */
export interface Selection {
  /** See `pathGlob`. */
  readonly paths: readonly string[];
  /** As in the label `kind` of `prtg_sensor_info`. */
  readonly kinds: readonly string[];
  readonly tags: readonly string[];
}

export function sensorFilter({ paths, kinds, tags }: Selection): (sensor: TreeNode) => boolean {
  const globs = paths.map(pathGlob);
  return (sensor) =>
    (globs.length === 0 || globs.some((fits) => fits(sensor.path))) &&
    (kinds.length === 0 || kinds.includes(sensor.type)) &&
    (tags.length === 0 || sensor.tags.some((tag) => tags.includes(tag)));
}
