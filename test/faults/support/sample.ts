import type { Disturbance } from "./disturbance.ts";
import type { FaultKind } from "./fault-catalogue.ts";
import { everywhere, KINDS } from "./fault-matrix.ts";
import { Random } from "./random.ts";

/** All faults at all endpoints take minutes: nightly run. */
const IS_WHOLE = process.env.PRTG_EXPORTER_NIGHTLY === "1";
/** Selects another sample. */
const SEED = Number(process.env.FAULT_SEED ?? 1);
/** Of thirteen endpoints. */
const SAMPLE = 5;

/** Random per kind, or all. */
export function somewhere(kind: FaultKind, seed = SEED, isWhole = IS_WHOLE): readonly Disturbance[] {
  const all = everywhere(kind, new Random(seed * 1_000 + KINDS.indexOf(kind)));
  return isWhole ? all : all.slice(0, SAMPLE);
}
