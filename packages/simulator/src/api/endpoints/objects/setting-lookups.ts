import { badRequest, notFound } from "../../../api-errors.ts";
import { ACCESS_LEVELS, USER_TYPES } from "../../../auth/accounts.ts";
import { visibleGroups } from "../../../auth/visible-accounts.ts";
import { DEVICE_ICONS, DEVICE_TEMPLATES } from "../../../installation/device-catalog.ts";
import { DISCOVERY_SCHEDULES } from "../../../installation/discovery-job.ts";
import { SETTING_SECTIONS } from "../../../records/settings.ts";
import { idOf, isChannel, isSensor } from "../../../world/objects.ts";
import { LOOKUPS } from "../../../world/sensors/lookups.ts";
import type { Call, Endpoint } from "../../endpoint.ts";
import { jsonReply, type Reply } from "../../reply.ts";

export const SETTING_LOOKUPS: readonly Endpoint[] = [
  { operation: "getSettingLookup", access: "bearer", handle: getSettingLookup },
];

/** A value that a setting can have, and how the product shows it. */
interface Option {
  readonly value: string | number;
  readonly text: string;
}

/** The fields of the result are not shown, nor which names there are: ours, the settings whose values can be chosen. */
function getSettingLookup(call: Call): Reply {
  const { params, rendering } = call;
  const name = params.name ?? "";
  checkId(call);
  const options = optionsOf(name, call);
  if (options === undefined) throw notFound();
  const spell = ({ value, text }: Option): string =>
    `{"value":${rendering.spelling.setting(value)},"text":${JSON.stringify(text)}}`;
  return jsonReply(`{"name":${JSON.stringify(name)},"options":[${options.map(spell).join(",")}]}`);
}

function checkId({ query, visible }: Call): void {
  const id = query.get("id");
  if (id === null || id === "") return;
  const found = id.includes(".") ? visible.channel(id) : visible.node(id);
  if (found === undefined) throw notFound();
}

function optionsOf(name: string, call: Call): readonly Option[] | undefined {
  switch (name) {
    case "schedule":
      return SCHEDULES.map(same);
    case "discoveryschedule":
      return DISCOVERY_SCHEDULES.map(same);
    case "devicetemplate":
      return DEVICE_TEMPLATES.map(({ id, name: text }) => ({ value: id, text }));
    case "deviceicon":
      return DEVICE_ICONS.map(({ id }) => same(id));
    case "lookup":
      return LOOKUPS.map(({ id, name: text }) => ({ value: id, text }));
    case "usertype":
      return USER_TYPES.map(same);
    case "primarygroup":
      return visibleGroups(call).map(({ id, name: text }) => ({ value: id, text }));
    case "accesslevel":
      return ACCESS_LEVELS.map(same);
    case "primarychannel":
      return channelsOf(call);
    default:
      return numbersOf(name);
  }
}

function same(value: string): Option {
  return { value, text: value };
}

/** The channels of the sensor that `id` names. */
function channelsOf({ query, visible }: Call): readonly Option[] {
  const id = query.get("id") ?? "";
  if (id === "") throw badRequest("id is required: the sensor with the channels");
  const node = visible.node(id);
  if (node === undefined || isChannel(node) || !isSensor(node)) throw notFound();
  return node.channels.map((channel) => ({ value: idOf(channel), text: channel.name }));
}

/** Settings of the tree that are one of some numbers. */
function numbersOf(name: string): readonly Option[] | undefined {
  const fields = SETTING_SECTIONS.flatMap(({ fields: own }) => own);
  const allowed = fields.find((field) => field.name === name)?.allowed;
  return allowed?.map((value) => ({ value, text: TEXTS[name]?.(value) ?? String(value) }));
}

const TEXTS: Readonly<Record<string, (value: number) => string>> = {
  interval: duration,
  errorintervalsdown: (value) => (value === 0 ? "Down at once" : `Down after ${plural(value, "interval")}`),
  ipversion: (value) => (value === 0 ? "IPv4" : "IPv6"),
  dependencytype: (value) => (value === 0 ? "The parent" : "Another object"),
  priority: (value) => "★".repeat(value),
};

function duration(seconds: number): string {
  if (seconds % 3600 === 0) return plural(seconds / 3600, "hour");
  return seconds % 60 === 0 && seconds > 60 ? plural(seconds / 60, "minute") : plural(seconds, "second");
}

function plural(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}

/** Times of the week at which things may be paused; "none" stands for no schedule. */
export const SCHEDULES = [
  "none",
  "Every Day [0:00 - 8:00]",
  "Every Night [20:00 - 6:00]",
  "Saturdays",
  "Sundays",
  "Weekdays",
  "Weekdays Eight-To-Eight (8:00 - 20:00)",
  "Weekdays Nine-To-Five (9:00 - 17:00)",
  "Weekends",
] as const;
