import type { ProcessState } from "./activity.ts";

/** One JSON line each, one at a time. */
export type Order = { readonly kind: "advance"; readonly to: number } | { readonly kind: "settle" };

/** Milliseconds since the epoch. */
export type Report =
  | { readonly kind: "hello"; readonly name: string }
  | { readonly kind: "listening"; readonly named: number; readonly actual: number }
  | { readonly kind: "advanced"; readonly fired: number; readonly next?: number | undefined }
  | {
      readonly kind: "settled";
      readonly state: ProcessState;
      readonly next?: number | undefined;
      readonly nextRef?: number | undefined;
    };
