import { wantedSections } from "../../app/mapping.ts";
import { planMeasurements } from "../../app/pipeline-plan.ts";
import type { CollectorName } from "../../collectors/collector.ts";
import { PartialPoll, READINGS } from "../../collectors/failures.ts";
import { sectionsOf } from "../../collectors/node-polls.ts";
import { isOnePerSensor } from "../../collectors/polls.ts";
import type { Config } from "../../config/load.ts";
import type { ServerConfig } from "../../config/resolve.ts";
import { describeFault } from "../../errors/exporter-error.ts";
import type { RuleUse } from "../../mapping/rules/rule-use.ts";
import type { ListOptions } from "../../prtg/monitoring-api.ts";
import { type NodeKind, READING_ORDER } from "../../prtg/node-record.ts";
import type { LicenseUse } from "../../prtg/records.ts";
import {
  channelsStep,
  type FoundLists,
  limitsStep,
  lookupsStep,
  namesStep,
  nodesStep,
  rulesStep,
  selectionStep,
  visibilityStep,
} from "./list-steps.ts";
import { ok, type Step, warning } from "./step.ts";

/** Includes the collectors that do the same. */
export interface PlannedStep extends Step {
  readonly collectors: readonly CollectorName[];
}

/**
 * All requests of `serve`, the most informative failures first.
 * @param ruleUse Shared by all servers. `undefined`: the user has no rules.
 */
export function checkSteps(server: ServerConfig, config: Config, ruleUse?: RuleUse): readonly PlannedStep[] {
  const { tree, status, channels, limits, details } = config.collectors;
  const found: FoundLists = { nodes: new Map(), channels: undefined };
  const states = { lookups: false };
  // Counts of the whole server do not describe a part.
  const isWhole = server.select === undefined;
  const readers = [...(tree.enabled ? (["tree"] as const) : []), ...(status.enabled ? (["status"] as const) : [])];
  const of = (collectors: readonly CollectorName[], ...steps: Step[]): PlannedStep[] =>
    collectors.length === 0 ? [] : steps.map((step) => ({ ...step, collectors }));
  const order = isWhole ? READING_ORDER : READING_ORDER.toReversed();
  const nodes = order.map((kind) => nodesStep(kind, nodeOptions(kind, config), found, isWhole));
  return [
    ...of(["health"], connectionStep(server), LOGIN_STEP, ACCOUNT),
    ...(isWhole ? of(status.enabled ? ["status"] : [], STATUS_SUMMARY) : []),
    ...(isWhole ? of(tree.enabled ? ["tree"] : [], OBJECT_COUNTS) : []),
    ...of(readers, ...nodes, ...(isWhole ? [visibilityStep(found)] : [])),
    ...of(channels.enabled ? ["channels"] : [], channelsStep(found), namesStep(found)),
    ...(ruleUse === undefined ? [] : of(channels.enabled ? ["channels"] : [], rulesStep(found, ruleUse))),
    ...(isWhole ? [] : of(readers, selectionStep(found))),
    ...of(limits.enabled ? ["limits"] : [], lookupsStep(states), limitsStep(states)),
    ...of(details.enabled ? ["details"] : [], detailsStep(found, isWhole)),
    ...of(readsTimeSeries(server, config) ? ["timeseries"] : [], timeSeriesStep(found)),
  ];
}

/** What new credentials must pass. */
export function firstSteps(server: ServerConfig): readonly PlannedStep[] {
  const found: FoundLists = { nodes: new Map(), channels: undefined };
  const sensors = nodesStep("sensor", {}, found);
  return [connectionStep(server), LOGIN_STEP, ACCOUNT, sensors].map((step) => ({ ...step, collectors: [] }));
}

function nodeOptions(kind: NodeKind, { collectors, metrics }: Config): ListOptions {
  const wanted = wantedSections(metrics);
  const readers = (["tree", "status"] as const).filter((name) => collectors[name].enabled);
  return { sections: new Set(readers.flatMap((name) => [...sectionsOf(name, wanted, kind)])) };
}

function readsTimeSeries(server: ServerConfig, config: Config): boolean {
  return (planMeasurements(server, config, false)?.mode ?? "off") !== "off";
}

function connectionStep({ url, tls }: ServerConfig): Step {
  const { protocol, hostname } = new URL(url);
  const works = `${url}: the application server is up and connected to its core`;
  const readable = ". Anyone on the network path can read the credentials";
  const local = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
  return {
    subject: "connection",
    run: async ({ api, signal }) => {
      await api.health(signal);
      if (protocol === "http:" && !local) {
        return warning(`${works}, but without TLS${readable}`, "Use https and port 1616 in servers[].url.");
      }
      if (protocol === "https:" && tls.insecureSkipVerify) {
        const text = `${works}, but its certificate is not checked${readable}`;
        return warning(text, "Set tls.ca_file or tls.fingerprints instead of tls.insecure_skip_verify.");
      }
      return ok(works);
    },
  };
}

export const LOGIN = "login";

const VERSION_REMEDY = "Nothing, if you do not need prtg_server_info.";

/** The version is optional, and even a rejection proves that the login works. */
const LOGIN_STEP: Step = {
  subject: LOGIN,
  reading: "version",
  remedy: VERSION_REMEDY,
  run: async ({ api, signal }) => {
    const versions = [...(await api.version(signal))].map(([name, version]) => `${name} ${version}`);
    if (versions.length > 0) return ok(["accepted", ...versions].join(", "));
    return warning(`accepted, but the server sends no version: ${READINGS.version.without}`, VERSION_REMEDY);
  },
};

const UNKNOWN_ACCOUNT = "it is unknown whether the credentials belong to an administrator";

/** Only administrators see the accounts of others. */
const ACCOUNT: Step = {
  subject: "account",
  without: UNKNOWN_ACCOUNT,
  remedy: "Nothing.",
  run: async ({ api, signal }) => {
    const accounts = await api.details.accounts(signal);
    if (accounts === undefined)
      return ok(`the server lists no user accounts for these credentials: ${UNKNOWN_ACCOUNT}`);
    if (accounts <= 1) return ok("the credentials see no other user accounts");
    return warning(
      `the credentials see ${accounts} user accounts, like an administrator. They can read everything, and perhaps change it`,
      "Create an API key as a user with read access only (https://prtg-exporter.github.io/prtg-exporter/getting-started).",
    );
  },
};

const COUNTS_REMEDY = "Nothing. The counts are correct.";

const STATUS_SUMMARY: Step = {
  subject: "status summary",
  reading: "statusSummary",
  remedy: COUNTS_REMEDY,
  run: async ({ api, signal }) => {
    const summary = await api.statusSummary(signal);
    const { without } = READINGS.statusSummary;
    if (summary === undefined) return ok(`not offered by this server: ${without}`);
    if (summary.counts.size === 0) return warning(`the answer has no counts: ${without}`, COUNTS_REMEDY);
    const counts = [...summary.counts].filter(([, count]) => count > 0).map(([status, count]) => `${status} ${count}`);
    return ok(counts.length === 0 ? "no sensors" : counts.join(", "));
  },
};

const OBJECT_COUNTS: Step = {
  subject: "object counts",
  reading: "objectCounts",
  remedy: COUNTS_REMEDY,
  run: async ({ api, signal }) => {
    const counts = await api.objectCounts(signal);
    const { without } = READINGS.objectCounts;
    if (counts === undefined) return ok(`not offered by this server: ${without}`);
    if (counts.size === 0) return warning(`the answer has no counts: ${without}`, COUNTS_REMEDY);
    return ok([...counts].map(([kind, count]) => `${kind} ${count}`).join(", "));
  },
};

const SERIES_REMEDY = "Nothing, if you do not need collectors.timeseries. Otherwise update the server.";

/** Reads one measured sensor: others would fail the same way. */
function timeSeriesStep(found: FoundLists): Step {
  const without = "gaps between polls and after outages are not filled";
  return {
    subject: "time series",
    without,
    remedy: SERIES_REMEDY,
    run: async ({ api, signal, problems }) => {
      const newest = [...(found.channels ?? [])].sort((a, b) => (b.measuredAt ?? 0) - (a.measuredAt ?? 0))[0];
      const sensorId = newest?.sensorId ?? found.nodes.get("sensor")?.[0]?.id;
      if (sensorId === undefined) return { status: "skipped", text: "no sensor to test with" };
      const { rows, gaps } = await api.timeSeries(sensorId, "live", signal);
      const spoilt = [...problems().values()].reduce((sum, count) => sum + count, 0);
      const text = `${rows.length} rows and ${gaps.length} gaps of sensor ${sensorId} in the last four hours`;
      if (spoilt === 0) return ok(text);
      return warning(
        `${text}; ${spoilt} values or rows are invalid and dropped`,
        "Report it with the version of the server. This is a bug of the exporter.",
      );
    },
  };
}

const REMEDY = "Nothing, if you do not need them. To silence this, disable collectors.details.";

/** Reads each list separately, like the collector, so one failure does not affect others. */
export function detailsStep(found: FoundLists, isWhole: boolean): Step {
  return {
    subject: "details",
    reading: "details",
    remedy: REMEDY,
    run: async ({ api: { details }, signal }) => {
      const parts = new PartialPoll(signal);
      const texts: string[] = [];
      let read = 0;
      const tell = async (what: string, value: () => Promise<string | undefined>): Promise<void> => {
        const part = await parts.read(value);
        if (part !== undefined) read++;
        texts.push(`${what}: ${part === undefined ? "not read" : (part.value ?? "not sent")}`);
      };
      if (isWhole) {
        await tell("license", async () => sensorsOf(await details.license(signal)));
        await tell("running auto-discoveries", async () => (await details.autodiscoveries(signal))?.toString());
      }
      const probe = found.nodes.get("probe")?.[0]?.id;
      if (probe !== undefined) {
        await tell("first probe", async () => connection(await details.probeConnected(probe, signal)));
      }
      await tell("primary channels", async () => {
        const items = (await details.primaryChannels(signal))?.items;
        return items === undefined || !isOnePerSensor(items) ? undefined : String(items.length);
      });
      try {
        if (parts.error !== undefined) throw parts.error;
      } catch (error) {
        if (read === 0) throw error;
        return warning(`${texts.join(", ")}; ${describeFault(error)}`, REMEDY);
      }
      return ok(texts.join(", "));
    },
  };
}

function sensorsOf(license: LicenseUse | undefined): string | undefined {
  return license?.used === undefined ? undefined : `${license.used} of ${license.max ?? "unlimited"} sensors`;
}

function connection(isConnected: boolean | undefined): string | undefined {
  return isConnected === undefined ? undefined : isConnected ? "connected" : "not connected";
}
