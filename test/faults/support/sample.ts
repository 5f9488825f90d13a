import type { Disturbance } from "./disturbance.ts";
import type { FaultKind } from "./fault-catalogue.ts";
import { everywhere, KINDS } from "./matrix.ts";
import { Random } from "./random.ts";

/** Every fault at every endpoint takes minutes and repeats a mechanism: each night does that, a change tries some. */
export const IS_WHOLE = process.env.PRTG_EXPORTER_WHOLE_MATRIX === "1";
/** Set it to see another sample. */
export const SEED = Number(process.env.FAULT_SEED ?? 1);
/** Of thirteen. */
const SAMPLE = 5;

/** A fault at endpoints that chance picks, others for each kind; at every endpoint when all are wanted. */
export function somewhere(kind: FaultKind, seed = SEED, isWhole = IS_WHOLE): readonly Disturbance[] {
  const all = everywhere(kind, new Random(seed * 1_000 + KINDS.indexOf(kind)));
  return isWhole ? all : all.slice(0, SAMPLE);
}
