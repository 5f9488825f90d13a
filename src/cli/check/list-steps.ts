import { allPresets, unnamedChannels } from "../../app/unnamed-channels.ts";
import { READINGS } from "../../collectors/failures.ts";
import { limitSections } from "../../collectors/polls.ts";
import { ExporterError } from "../../errors/exporter-error.ts";
import { shortLine } from "../../lib/printable-text.ts";
import type { RuleUse } from "../../mapping/rules/rule-use.ts";
import { isRoot } from "../../model/placement.ts";
import type { DecodeProblem } from "../../prtg/decode-problems.ts";
import type { ListOptions } from "../../prtg/monitoring-api.ts";
import { NODE_SECTIONS, type NodeKind, type NodeRecord } from "../../prtg/node-record.ts";
import {
  CHANNEL_SECTIONS,
  type ChannelList,
  type ChannelRecord,
  type ChannelRecords,
  type ListResult,
} from "../../prtg/records.ts";
import { SelectedApi } from "../../selection/selected-api.ts";
import { sensorIn, treeOf } from "../map/recording.ts";
import { ok, type Step, type StepResult, type StepTools, warning } from "./step.ts";

const RIGHTS_REMEDY =
  "Give the user of the API key read access to the objects to monitor. A key has the rights of its user.";
const UNREADABLE_REMEDY = "Report it with the version of the server. This is a bug of the exporter.";

/** Length of the example of unnamed channels, characters. */
const MAX_EXAMPLE = 80;

export interface FoundLists {
  readonly nodes: Map<NodeKind, readonly NodeRecord[]>;
  channels: ChannelRecords | undefined;
}

export function nodesStep(kind: NodeKind, options: ListOptions, found: FoundLists, isWhole = true): Step {
  return {
    subject: `${kind}s`,
    reading: kind,
    run: async ({ api, signal, problems }) => {
      const list = await api.nodes(kind, options, signal);
      found.nodes.set(kind, list.items);
      if (isWhole && kind === "sensor" && list.items.length + list.skipped === 0) {
        throw new ExporterError("API_FORBIDDEN", "the user cannot see any sensors", { remedy: RIGHTS_REMEDY });
      }
      return describeList(`${list.items.length} ${isWhole ? "visible" : "selected"}`, list, problems());
    },
  };
}

/** Effect of `servers[].select`. Needs the lists. */
export function selectionStep({ nodes }: FoundLists): Step {
  return {
    subject: "selection",
    run: async ({ api }) => {
      if (!(api instanceof SelectedApi)) return { status: "skipped", text: "all objects are selected" };
      const { sensorReader, channelReader } = api;
      const selected = nodes.get("sensor")?.length ?? 0;
      if (selected === 0) {
        return warning(
          "no sensor is selected, so the metrics page has no sensors",
          "Correct servers[].select, or check the rights of the user.",
        );
      }
      const total = sensorReader.total ?? selected;
      const text = `${selected} of ${total} sensors`;
      // Cannot tell whether the server ignores the filter.
      if (selected === total && api.selection.judge.include.filters.length > 0) {
        return warning(
          `${text}: the filter excludes none`,
          "If you expected fewer, correct the filter, or select by path, id or tag. Some servers ignore filters.",
        );
      }
      const refused = [...new Set([...sensorReader.unsupported, ...channelReader.unsupported])];
      if (refused.length > 0) {
        const remedy = "Nothing, if the server can bear the load. The result is the same.";
        return warning(
          `${text}; the server cannot filter by ${refused.join(" and ")}, so the exporter reads more and filters itself`,
          remedy,
        );
      }
      return ok(
        `${text}; ${channelReader.form !== undefined ? "the server filters" : "the exporter reads whole lists and filters itself"}`,
      );
    },
  };
}

/** Whether the user sees the whole tree. Needs the lists. */
export function visibilityStep({ nodes }: FoundLists): Step {
  return {
    subject: "visibility",
    run: async () => {
      const records = [...nodes.values()].flat();
      if (nodes.size < 4 || records.length === 0) {
        return { status: "skipped", text: "unknown: a list is missing or empty" };
      }
      const visible = new Set(records.map(({ id }) => id));
      const cutOff = records.filter(({ parent }) => parent !== undefined && !isRoot(parent) && !visible.has(parent.id));
      if (cutOff.length === 0) return ok("the user can see the parents of all objects");
      return warning(
        `the user cannot see the parents of ${cutOff.length} of ${records.length} objects, so this is only a part of the tree`,
        "If you expected the whole tree, give the user read access to the root group.",
      );
    },
  };
}

export function channelsStep(found: FoundLists): Step {
  return {
    subject: "channels",
    reading: "channels",
    run: async ({ api, signal, problems }) => {
      const list = await api.channels({}, signal);
      found.channels = list.items;
      return describeChannels(list, found, problems());
    },
  };
}

/** Whether the presets know the names of channels. Needs the lists. */
export function namesStep(found: FoundLists): Step {
  return {
    subject: "names",
    run: async () => {
      if (found.channels === undefined) return { status: "skipped", text: "needs the list of channels" };
      const sensors = new Map(found.nodes.get("sensor")?.map((sensor) => [sensor.id, sensor]));
      const channels = [...found.channels].flatMap((channel) => {
        const sensor = sensors.get(channel.sensorId);
        return sensor === undefined ? [] : { sensor, channel };
      });
      const kinds = unnamedChannels(await allPresets(), channels);
      if (kinds.length === 0) return ok("the presets match all channels of known sensor kinds");
      return ok(
        `no preset matches some channels of ${kinds.length} known sensor kinds, such as ${shortLine(kinds[0] ?? "", MAX_EXAMPLE)}`,
        "Optional: `map --all` lists them. Paste its last lines into an issue to get names for them in a later version.",
      );
    },
  };
}

export const RULES = "rules";

/** Which rules of the user match channels. Needs the lists. */
export function rulesStep(found: FoundLists, use: RuleUse): Step {
  return {
    subject: RULES,
    run: async () => {
      const { channels, nodes } = found;
      if (channels === undefined || !nodes.has("sensor")) return { status: "skipped", text: "needs the lists" };
      const tree = treeOf({ nodes: [...nodes.values()].flat() });
      for (const channel of channels) {
        const sensor = sensorIn(tree, channel.sensorId);
        if (sensor !== undefined) use.add(sensor, channel);
      }
      return ok(`own rules compared with all channels: ${use.rules}`);
    },
  };
}

function describeChannels(
  list: ChannelList,
  { nodes }: FoundLists,
  problems: ReturnType<StepTools["problems"]>,
): StepResult {
  const count = list.items.length;
  const readable = countOf(list, ({ value }) => value !== undefined);
  const unreadable = problems.get("value") ?? 0;
  if (unreadable > 0 && readable === 0) {
    throw new ExporterError("API_VALUES_UNREADABLE", `${count} visible, but none of ${unreadable} values is a number`);
  }
  if (count + list.skipped === 0 && (nodes.get("sensor")?.length ?? 0) > 0) {
    throw new ExporterError("API_VALUES_UNREADABLE", "the user can see sensors, but no channels", {
      remedy: RIGHTS_REMEDY,
    });
  }
  const text = `${count} visible, ${readable} with a value`;
  if (unreadable === 0) return describeList(text, list, problems);
  const share = Math.max(1, Math.round((100 * unreadable) / (readable + unreadable)));
  return warning(
    `${text}; ${unreadable} values (${share} %) are not numbers in their unit and have no series`,
    UNREADABLE_REMEDY,
  );
}

function countOf({ items }: ChannelList, matches: (channel: ChannelRecord) => boolean): number {
  return items.values().filter(matches).toArray().length;
}

export function limitsStep(found: { readonly lookups: boolean }): Step {
  return {
    subject: "limits",
    without: "limits are missing",
    run: async ({ api, signal, problems }) => {
      const list = await api.channels({ sections: limitSections(found.lookups) }, signal);
      const limited = countOf(list, ({ limits }) => Object.keys(limits ?? {}).length > 0);
      const withLimits = countOf(list, ({ limits }) => limits !== undefined);
      if (withLimits === 0 && list.items.length > 0 && list.refused === undefined) {
        return warning("the server sends no limits", "Nothing, if you do not need prtg_channel_limit.");
      }
      return describeList(`${limited} of ${list.items.length} channels have limits`, list, problems());
    },
  };
}

export function lookupsStep(found: { lookups: boolean }): Step {
  return {
    subject: "lookups",
    reading: "lookups",
    remedy: "Nothing, if you do not need prtg_channel_state.",
    run: async ({ api, signal, problems }) => {
      const list = await api.lookups(signal);
      if (list === undefined) return ok(`not offered by this server: ${READINGS.lookups.without}`);
      found.lookups = list.items.length > 0;
      return describeList(`${list.items.length} visible`, list, problems());
    },
  };
}

const SPOILT: Readonly<Record<DecodeProblem, (count: number) => string>> = {
  record: (count) => `${count} records are invalid and dropped`,
  status: (count) => `${count} statuses are not known and shown as unknown`,
  value: (count) => `${count} values are not numbers and dropped`,
  timestamp: (count) => `${count} timestamps are invalid and dropped`,
  summary: (count) => `${count} sensor counts are invalid and dropped`,
  text: (count) => `${count} texts are too long and cut`,
  lookup: (count) => `${count} lookups are invalid and dropped`,
  secret: (count) =>
    `${count} texts contain a key, token or password of this exporter. It is replaced by [redacted], and objects with it in their id are dropped`,
  duplicate: (count) => `${count} records have a duplicate id and are dropped`,
};

/** The deprecated lists have one section, with the value `true`. */
function withoutSection(value: string): string {
  const name = value === "true" ? "sensor_status_summary" : value;
  const section = [...NODE_SECTIONS, ...CHANNEL_SECTIONS].find((each) => each.name === name);
  return section?.without ?? "its data is missing";
}

function describeList(
  text: string,
  { complete, refused = [] }: Pick<ListResult<unknown>, "complete" | "refused">,
  problems: ReadonlyMap<DecodeProblem, number>,
): StepResult {
  if (refused.length > 0) {
    const without = refused.map((section) => `${section}: ${withoutSection(section)}`);
    return warning(
      `${text}; the server refuses to include ${without.join(", ")}`,
      "Nothing, if you do not need this data. Otherwise update the server or give the user read access.",
    );
  }
  const spoilt = [...problems].map(([problem, count]) => SPOILT[problem](count));
  if (spoilt.length > 0) return warning(`${text}; ${spoilt.join(", ")}`, UNREADABLE_REMEDY);
  if (complete) return ok(text);
  return warning(
    `${text}; the list changed twice during the read, so the exporter keeps all objects`,
    "Nothing. The next poll reads the list again.",
  );
}
