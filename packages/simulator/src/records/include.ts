import { badRequest } from "../api-errors.ts";

const NODE_SECTIONS = [
  "basic",
  "intervalgroup",
  "scheduledependency",
  "windowsconnection",
  // Clients of live servers ask for these two.
  "discoverytypegroup",
  "accessrightsgroup",
  "path",
] as const;
export const SECTIONS = [...NODE_SECTIONS, "alerting", "values"] as const;
export type Section = (typeof SECTIONS)[number];

/** What an endpoint can include. */
export interface Available<Name extends string = Section> {
  readonly sections: readonly Name[];
  readonly summary: boolean;
}

/** Windows credentials belong to what holds devices; sensors have none of their own. */
const SENSOR_SECTIONS = ["basic", "intervalgroup", "scheduledependency", "accessrightsgroup", "path"] as const;
const CHANNEL_SECTIONS = ["basic", "alerting", "values", "path"] as const;

/** `sensor_status_summary` goes with devices, groups, probes and object lists. */
export const AVAILABLE = {
  probe: { sections: NODE_SECTIONS, summary: true },
  group: { sections: NODE_SECTIONS, summary: true },
  device: { sections: NODE_SECTIONS, summary: true },
  sensor: { sections: SENSOR_SECTIONS, summary: false },
  channel: { sections: CHANNEL_SECTIONS, summary: false },
  object: { sections: SECTIONS, summary: true },
} as const satisfies Record<string, Available>;

/** What a request asks for beyond the default selection. */
export interface Include<Name extends string = Section> {
  readonly sections: ReadonlySet<Name>;
  readonly inheritance: boolean;
  readonly summary: boolean;
  /** Equal for includes that render the same. */
  readonly key: string;
}

/**
 * Reads the parameter `include`. An empty or absent one is the default selection. What an endpoint does not have, and
 * `inheritance` on its own, is an invalid parameter, which "400: any parameter is invalid" is about: a client that asks for a
 * section and silently gets none would take it for empty.
 * @throws RequestRefused BAD_REQUEST
 */
export function parseInclude<Name extends string>(value: string | null, available: Available<Name>): Include<Name> {
  const names = (value ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  const sections = new Set<Name>();
  let inheritance = false;
  let summary = false;
  for (const name of names) {
    const section = available.sections.find((known) => known === name);
    if (section !== undefined) sections.add(section);
    else if (name === "inheritance") inheritance = true;
    else if (name === "sensor_status_summary" && available.summary) summary = true;
    else if (name === "all_sections" || name === "*") {
      for (const each of available.sections) sections.add(each);
      inheritance ||= name === "*";
      summary ||= name === "*";
    } else throw badRequest(`include: ${name} is not available here`);
  }
  if (inheritance && sections.size === 0 && !summary) {
    throw badRequest("include: inheritance needs another value");
  }
  const key = `${inheritance ? "+" : ""}${available.sections.filter((section) => sections.has(section)).join()}`;
  return { sections, inheritance, summary, key };
}
