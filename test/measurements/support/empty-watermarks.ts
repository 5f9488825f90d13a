import { Watermarks } from "../../../src/measurements/watermarks.ts";

/** Watermarks that no file keeps. */
export function emptyWatermarks(): Promise<Watermarks> {
  return Watermarks.open("hq", {
    read: async () => undefined,
    write: async () => undefined,
    rename: async () => undefined,
    syncDirectory: async () => undefined,
  });
}
