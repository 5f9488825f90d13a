import { badRequest } from "../../../api-errors.ts";
import type { SimNode } from "../../../world/model.ts";

/** Positions of siblings: 10 for the first one, 20 for the second. */
const STEP = 10;

export type Preset = "top" | "up" | "down" | "bottom";

/** The place among the siblings of an object at a position; beyond the last one it is the last. */
export function indexAt(position: number): number {
  return Math.max(0, Math.ceil(position / STEP) - 1);
}

/** The place that a preset means for a node; outside its siblings `up` and `down` mean the nearest end. */
export function indexOfPreset(preset: Preset, node: SimNode, parent: SimNode): number {
  const last = parent.children.length;
  const own = parent.children.indexOf(node);
  switch (preset) {
    case "top":
      return 0;
    case "bottom":
      return last;
    case "up":
      return own < 0 ? last : Math.max(0, own - 1);
    case "down":
      return own < 0 ? last : own + 1;
  }
}

/** "`top`, `bottom` (default) or a number", of clones. @throws RequestRefused BAD_REQUEST */
export function indexOfText(position: string | undefined): number | undefined {
  if (position === undefined || position === "bottom") return undefined;
  if (position === "top") return 0;
  if (!/^\d{1,9}$/.test(position)) throw badRequest("The body at /position must be top, bottom or a number");
  return indexAt(Number(position));
}
