import { openConfigTarget } from "./config-target.ts";
import { openDecoderTarget } from "./decoder-target.ts";
import { openFilterTarget } from "./filter-target.ts";
import { openStateTarget } from "./state-target.ts";
import type { FuzzTarget, TargetName } from "./target.ts";

const OPENERS: Readonly<Record<Exclude<TargetName, "http">, () => FuzzTarget | Promise<FuzzTarget>>> = {
  decoder: openDecoderTarget,
  filter: openFilterTarget,
  config: openConfigTarget,
  state: openStateTarget,
};

export async function openTarget(name: Exclude<TargetName, "http">): Promise<FuzzTarget> {
  return OPENERS[name]();
}
