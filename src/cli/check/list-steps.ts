import { allPresets, unnamedChannels } from "../../app/unnamed-channels.ts";
import { READINGS, WITHOUT_SECTION } from "../../collectors/failures.ts";
import { ExporterError } from "../../errors/exporter-error.ts";
import { isRoot } from "../../model/placement.ts";
import type { ChannelRecord, ListResult, NodeKind, NodeRecord } from "../../prtg/records.ts";
import { SelectedApi } from "../../selection/selected-api.ts";
import type { DecodeProblem } from "../../telemetry/metric-declarations.ts";
import { ok, type Step, type StepResult, type StepTools, warning } from "./step.ts";

const RIGHTS_REMEDY = "An API key has the rights of its user: give that user read access to what is to be monitored.";
const UNREADABLE_REMEDY = "Report it with the version of the server: the exporter should understand what servers send.";

export interface FoundLists {
  readonly nodes: Map<NodeKind, readonly NodeRecord[]>;
  channels: readonly ChannelRecord[] | undefined;
}

export function nodesStep(
  kind: NodeKind,
  options: { interval: boolean; statusSummary: boolean },
  found: FoundLists,
  isWhole = true,
): Step {
  return {
    subject: `${kind}s`,
    reading: kind,
    run: async ({ api, signal, problems }) => {
      const list = await api.nodes(kind, options, signal);
      found.nodes.set(kind, list.items);
      if (isWhole && kind === "sensor" && list.items.length + list.skipped === 0) {
        throw new ExporterError("API_FORBIDDEN", "the user sees no sensors", { remedy: RIGHTS_REMEDY });
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
      if (!(api instanceof SelectedApi)) return { status: "skipped", text: "everything is monitored" };
      const { sensorReader, channelReader } = api;
      const selected = nodes.get("sensor")?.length ?? 0;
      if (selected === 0) {
        return warning(
          "no sensor is selected: nothing is shown",
          "Correct servers[].select, or see what the user may see.",
        );
      }
      const total = sensorReader.total ?? selected;
      const text = `${selected} of ${total} sensors`;
      // Cannot tell whether the server ignores the filter.
      if (selected === total && api.selection.judge.include.filters.length > 0) {
        return warning(
          `${text}: all that there are`,
          "Nothing if that is meant; else correct the filter, or select in another way: a server that ignores it finds everything.",
        );
      }
      const refused = [...new Set([...sensorReader.unsupported, ...channelReader.unsupported])];
      if (refused.length > 0) {
        const remedy = "Nothing if the load is bearable: the same is shown.";
        return warning(
          `${text}; the server does not select by ${refused.join(" and ")}: more is read, and filtered here`,
          remedy,
        );
      }
      return ok(
        `${text}; ${channelReader.form !== undefined ? "the server is asked for them" : "whole lists are read, and filtered here"}`,
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
        return { status: "skipped", text: "cannot be judged from these lists" };
      }
      const visible = new Set(records.map(({ id }) => id));
      const cutOff = records.filter(({ parent }) => parent !== undefined && !isRoot(parent) && !visible.has(parent.id));
      if (cutOff.length === 0) return ok("the user sees the parents of all these objects");
      return warning(
        `the user does not see the parents of ${cutOff.length} of these ${records.length} objects: they are a part of the tree`,
        "Nothing if that is meant; else give the user read access to the root group.",
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
      const sensors = new Map(found.nodes.get("sensor")?.map((sensor) => [sensor.id, sensor]));
      const channels = (found.channels ?? []).flatMap((channel) => {
        const sensor = sensors.get(channel.sensorId);
        return sensor === undefined ? [] : { sensor, channel };
      });
      const line = unnamedChannels(await allPresets(), channels);
      if (line === undefined) return ok("the presets match all channels of the kinds that they know");
      return ok(
        `no preset matches ${line}`,
        "Nothing; or paste this line into an issue, so that a later version has names for them.",
      );
    },
  };
}

function describeChannels(
  list: ListResult<ChannelRecord>,
  { nodes }: FoundLists,
  problems: ReturnType<StepTools["problems"]>,
): StepResult {
  const count = list.items.length;
  const readable = list.items.filter(({ value }) => value !== undefined).length;
  const unreadable = problems.get("value") ?? 0;
  if (unreadable > 0 && readable === 0) {
    throw new ExporterError("API_VALUES_UNREADABLE", `${count} visible, and none of ${unreadable} values is a number`);
  }
  if (count + list.skipped === 0 && (nodes.get("sensor")?.length ?? 0) > 0) {
    throw new ExporterError("API_VALUES_UNREADABLE", "the user sees sensors, but no channels: there are no values", {
      remedy: RIGHTS_REMEDY,
    });
  }
  const text = `${count} visible, ${readable} with a value`;
  if (unreadable === 0) return describeList(text, list, problems);
  const share = Math.max(1, Math.round((100 * unreadable) / (readable + unreadable)));
  return warning(
    `${text}; ${unreadable} values (${share} %) are no numbers in their unit: they are not shown`,
    UNREADABLE_REMEDY,
  );
}

export function limitsStep(found: { readonly lookups: boolean }): Step {
  return {
    subject: "limits",
    without: "limits are not shown",
    run: async ({ api, signal, problems }) => {
      const list = await api.channels({ limits: true, lookups: found.lookups }, signal);
      const limited = list.items.filter(({ limits }) => Object.keys(limits ?? {}).length > 0).length;
      const withLimits = list.items.filter(({ limits }) => limits !== undefined).length;
      if (withLimits === 0 && list.items.length > 0 && list.refused === undefined) {
        return warning(
          "the server tells no limits: limits are not shown",
          "Nothing if prtg_channel_limit is not missed.",
        );
      }
      return describeList(`${limited} of ${list.items.length} channels have limits`, list, problems());
    },
  };
}

export function lookupsStep(found: { lookups: boolean }): Step {
  return {
    subject: "lookups",
    reading: "lookups",
    remedy: "Nothing if prtg_channel_state is not missed.",
    run: async ({ api, signal, problems }) => {
      const list = await api.lookups(signal);
      if (list === undefined) return ok(`not offered by this server: ${READINGS.lookups.without}`);
      found.lookups = list.items.length > 0;
      return describeList(`${list.items.length} visible`, list, problems());
    },
  };
}

const SPOILT: Readonly<Record<DecodeProblem, (count: number) => string>> = {
  record: (count) => `${count} records cannot be understood and are left out`,
  status: (count) => `${count} statuses are not known and shown as unknown`,
  value: (count) => `${count} values are no numbers and not shown`,
  timestamp: (count) => `${count} times cannot be read and are left out`,
  summary: (count) => `${count} counts of sensors cannot be read and are left out`,
  text: (count) => `${count} texts are too long and are cut`,
  lookup: (count) => `${count} lookups cannot be read and are left out`,
  secret: (count) =>
    `${count} texts hold a key, token or password of this exporter: [redacted] takes its place, and objects with it in their id are left out`,
  duplicate: (count) => `${count} records have the id of another one and are left out`,
};

function describeList(
  text: string,
  { complete, refused = [] }: ListResult<unknown>,
  problems: ReadonlyMap<DecodeProblem, number>,
): StepResult {
  if (refused.length > 0) {
    const without = refused.map((section) => `${section}: ${WITHOUT_SECTION[section] ?? "it is not shown"}`);
    return warning(
      `${text}; the server refuses to include ${without.join(", ")}`,
      "Nothing if that is not missed; else update the server or give the user read access.",
    );
  }
  const spoilt = [...problems].map(([problem, count]) => SPOILT[problem](count));
  if (spoilt.length > 0) return warning(`${text}; ${spoilt.join(", ")}`, UNREADABLE_REMEDY);
  if (complete) return ok(text);
  return warning(
    `${text}; the list changed twice while it was read: nothing is removed on its word`,
    "Nothing: the next poll reads it anew.",
  );
}
