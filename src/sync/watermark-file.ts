import {
  decodeStateText,
  encodeStateText,
  type StateFormat,
  stateFileName,
  type UnusableText,
  unusable,
} from "./state-text.ts";

const FORMAT: StateFormat = { name: "prtg-exporter watermarks", version: 1, called: "a watermark file" };

export type DecodedWatermarks = { readonly watermarks: Map<string, number> } | UnusableText;

/** Name of a server's file. */
export function watermarkFileName(server: string): string {
  return stateFileName("watermarks", server, "json");
}

/** Watermarks by sensor in milliseconds. */
export function encodeWatermarks(server: string, watermarks: ReadonlyMap<string, number>): string {
  return encodeStateText(FORMAT, server, { sensors: watermarks.size }, Object.fromEntries(watermarks));
}

/** Never throws. The file is taken whole or not at all. */
export function decodeWatermarks(text: string, server: string): DecodedWatermarks {
  const decoded = decodeStateText(FORMAT, text, server);
  if ("problem" in decoded) return decoded;
  const watermarks = new Map<string, number>();
  for (const [sensorId, at] of Object.entries(decoded.body)) {
    if (typeof at === "number" && Number.isSafeInteger(at)) watermarks.set(sensorId, at);
  }
  if (watermarks.size !== decoded.about.sensors) return unusable("torn", "it lacks some of its watermarks");
  return { watermarks };
}
