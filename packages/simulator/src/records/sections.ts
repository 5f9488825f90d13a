import type { SimNode } from "../world/model.ts";
import { scanningInterval, settingsInForce } from "../world/nodes/settings.ts";
import { isSensor } from "../world/objects.ts";
import type { ChannelJson } from "./channel-json.ts";
import type { Include, Section } from "./include.ts";
import type { JsonCache } from "./json-cache.ts";
import type { NodeJson } from "./node-json.ts";
import type { Spelling } from "./spelling.ts";

/** Where the settings of a section come from. */
interface Source {
  /** Reference to the object they are inherited from, or would be; the root has none above it, and names itself. */
  readonly reference: string;
  readonly inherited: boolean;
}

/** The sections of a node that follow `basic`, each with a comma before it. */
export function nodeSections(text: NodeJson, include: Include, spelling: Spelling, cache: JsonCache): string {
  let json = "";
  if (include.sections.has("intervalgroup")) json += intervalGroup(text, include, spelling, cache);
  for (const section of ["scheduledependency", "windowsconnection"] as const) {
    if (!include.sections.has(section) || (section === "windowsconnection" && isSensor(text.node))) continue;
    json +=
      section === "windowsconnection" ? windows(text, include, cache) : dependency(text, include, spelling, cache);
  }
  json += readOnlySections(text, include, spelling);
  if (include.sections.has("path")) json += `,"path":[${text.path}]`;
  return json;
}

/**
 * Sections that the world has nothing to say of: no object looks around by itself, and rights are those of user groups. The fields of
 * `discoverytypegroup` are those that a client of live servers reads, that of `accessrightsgroup` is ours.
 */
function readOnlySections(text: NodeJson, include: Include, spelling: Spelling): string {
  const source = { reference: text.parent?.reference ?? text.reference, inherited: false };
  let json = "";
  if (include.sections.has("discoverytypegroup") && !isSensor(text.node)) {
    const members = `"discoverytype":${spelling.setting(0)},"discoveryschedule":${spelling.setting(0)}`;
    json += renderSection("discoverytypegroup", members, include, source);
  }
  if (include.sections.has("accessrightsgroup")) {
    json += renderSection("accessrightsgroup", '"accessrights":[]', include, source);
  }
  return json;
}

/** The sections of a channel that follow `basic`; a channel inherits none of its settings. */
export function channelSections(text: ChannelJson, include: Include, spelling: Spelling): string {
  const source = { reference: text.sensor.reference, inherited: false };
  let json = "";
  if (include.sections.has("alerting")) json += renderSection("alerting", alerting(text, spelling), include, source);
  if (include.sections.has("values")) json += renderSection("values", values(text, spelling), include, source);
  if (include.sections.has("path")) json += `,"path":[${text.path}]`;
  return json;
}

/** What `include=inheritance` adds to a section that is always the object's own, such as `basic`. */
export function ownInheritance(reference: string): string {
  return inheritance("", { reference, inherited: false });
}

function renderSection(section: Section, members: string, include: Include, source: Source): string {
  return `,"${section}":{${members}${include.inheritance ? inheritance(members, source) : ""}}`;
}

/** `_shadowed` holds the settings on the source of inheritance; what is inherited equals them. */
function inheritance(members: string, { reference, inherited }: Source): string {
  return `,"_inheritancesource":${reference},"_inherited":${inherited},"_shadowed":${inherited ? `{${members}}` : null}`;
}

function intervalGroup(text: NodeJson, include: Include, spelling: Spelling, cache: JsonCache): string {
  const { seconds, inheritedFrom } = scanningInterval(text.node);
  const { errorIntervalsDown } = settingsInForce(text.node, "interval").settings;
  const members = `"interval":${spelling.setting(seconds)},"errorintervalsdown":${spelling.setting(errorIntervalsDown)}`;
  return renderSection("intervalgroup", members, include, sourceOf(text, inheritedFrom, cache));
}

/** What the object itself has not set it has from another one; what it has set it would have from its parent, the root from nothing else. */
function sourceOf(text: NodeJson, inheritedFrom: SimNode | undefined, cache: JsonCache): Source {
  return inheritedFrom === undefined
    ? { reference: (text.parent ?? text).reference, inherited: false }
    : { reference: cache.of(inheritedFrom).reference, inherited: true };
}

/** The fields are not shown: ours, see `SETTING_SECTIONS`. */
function dependency(text: NodeJson, include: Include, spelling: Spelling, cache: JsonCache): string {
  const { settings, inheritedFrom } = settingsInForce(text.node, "dependency");
  const { schedule, dependsOn } = settings;
  const chosen = dependsOn === undefined ? "" : `,"dependency":${JSON.stringify(dependsOn)}`;
  const type = spelling.setting(dependsOn === undefined ? 0 : 1);
  const members = `"schedule":${JSON.stringify(schedule)},"dependencytype":${type}${chosen}`;
  return renderSection("scheduledependency", members, include, sourceOf(text, inheritedFrom, cache));
}

/** "The password is returned masked." */
function windows(text: NodeJson, include: Include, cache: JsonCache): string {
  const { settings, inheritedFrom } = settingsInForce(text.node, "windows");
  const { domain, username } = settings;
  const members = `"windowslogindomain":${JSON.stringify(domain)},"windowsloginusername":${JSON.stringify(username)},"windowsloginpassword":"********"`;
  return renderSection("windowsconnection", members, include, sourceOf(text, inheritedFrom, cache));
}

/** In the unit of the displayed value (ours). Where no limit is set, a text is empty and a number left out. */
function alerting({ channel }: ChannelJson, spelling: Spelling): string {
  const { maxError, maxWarning, minWarning, minError } = channel.limits;
  const limits = {
    limitmaxerror: maxError,
    limitmaxwarning: maxWarning,
    limitminwarning: minWarning,
    limitminerror: minError,
  };
  const some = Object.values(limits).some((limit) => limit !== undefined);
  const members = [`"limitmode":${spelling.setting(some)}`];
  for (const [name, limit] of Object.entries(limits)) {
    if (limit !== undefined) members.push(`"${name}":${spelling.setting(limit)}`);
    else if (spelling.name === "live") members.push(`"${name}":""`);
  }
  members.push('"limiterrormsg":""', '"limitwarningmsg":""');
  return members.join(",");
}

/** How values are shown; the fields are not shown in any source: ours. The lookup is the id of its definition. */
function values({ channel }: ChannelJson, spelling: Spelling): string {
  const lookup = channel.lookupId === undefined ? "" : `,"lookup":"${channel.lookupId}"`;
  return `"unit":${JSON.stringify(channel.displayUnit)},"factor":${spelling.setting(1)},"decimaldigits":${spelling.setting(2)}${lookup}`;
}
