import type { MonitoringApi } from "../api/monitoring-api.ts";
import type { NodeKind, NodeRecord } from "../api/records.ts";
import type { Config } from "../config/load.ts";
import type { ServerConfig } from "../config/resolve.ts";
import { describeFault, ExporterError } from "../errors/exporter-error.ts";
import { isRoot } from "../tree/placement.ts";
import type { Finding, Verdict } from "./findings-table.ts";

/** What a step has to say when it did not fail. */
export type StepResult = Pick<Finding, "text" | "remedy"> & { readonly verdict?: Exclude<Verdict, "FAILED"> };

/** One thing to try. */
export interface Step {
  readonly subject: string;
  /** Rejects when serve could not do its work. */
  readonly run: (api: MonitoringApi, signal: AbortSignal) => Promise<StepResult>;
}

const RIGHTS_REMEDY = "An API key has the rights of its user: give that user read access to what is to be monitored.";

/** What `serve` will ask this server for with this configuration, in the order in which failures tell most. */
export function checkSteps(server: ServerConfig, config: Config): readonly Step[] {
  const { tree, status, channels, limits } = config.collectors;
  const lists = new Map<NodeKind, readonly NodeRecord[]>();
  const list = (kind: NodeKind): Step => listStep(kind, config, (records) => lists.set(kind, records));
  // Children before their parents: what is created meanwhile does not look like an orphan.
  const treeSteps = [list("sensor"), list("device"), list("group"), list("probe"), visibilityStep(lists)];
  return [
    connectionStep(server),
    LOGIN,
    ...(status.enabled ? [STATUS_SUMMARY] : []),
    ...(tree.enabled ? [OBJECT_COUNTS] : []),
    ...(tree.enabled || status.enabled ? treeSteps : []),
    ...(channels.enabled || limits.enabled ? [channelsStep(limits.enabled)] : []),
    ...(limits.enabled ? [LOOKUPS] : []),
  ];
}

function connectionStep({ url, tls }: ServerConfig): Step {
  const { protocol, hostname } = new URL(url);
  const works = `${url}: the application server is up and connected to its core`;
  const readable = "; whoever is in between can read the credentials";
  const local = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
  return {
    subject: "connection",
    run: async (api, signal) => {
      await api.health(signal);
      if (protocol === "http:" && !local) {
        return warning(`${works}, but without TLS${readable}`, "Use https and port 1616 in servers[].url.");
      }
      if (protocol === "https:" && tls.insecureSkipVerify) {
        const text = `${works}, but its certificate is not checked${readable}`;
        return warning(text, "Give tls.ca_file or tls.fingerprints in the place of tls.insecure_skip_verify.");
      }
      return { text: works };
    },
  };
}

/** The version is an extra; that it may not be read shows all the same that the login works. */
const LOGIN: Step = {
  subject: "login",
  run: async (api, signal) => {
    try {
      const versions = [...(await api.version(signal))].map(([name, version]) => `${name} ${version}`);
      return { text: ["accepted", ...versions].join(", ") };
    } catch (error) {
      if (!(error instanceof ExporterError) || !["API_FORBIDDEN", "API_NOT_FOUND"].includes(error.code)) throw error;
      return warning(
        `the version cannot be read: ${describeFault(error)}`,
        "Nothing if prtg_server_info is not missed.",
      );
    }
  },
};

const STATUS_SUMMARY: Step = {
  subject: "status summary",
  run: async (api, signal) => {
    const summary = await api.statusSummary(signal);
    if (summary === undefined) return { text: "not offered by this server: statuses are counted from the sensor list" };
    const counts = [...summary.counts].filter(([, count]) => count > 0).map(([status, count]) => `${status} ${count}`);
    return { text: counts.length === 0 ? "no sensors" : counts.join(", ") };
  },
};

const OBJECT_COUNTS: Step = {
  subject: "object counts",
  run: async (api, signal) => {
    const counts = await api.objectCounts(signal);
    if (counts === undefined) return { text: "not offered by this server: objects are counted from the lists" };
    return { text: [...counts].map(([kind, count]) => `${kind} ${count}`).join(", ") };
  },
};

/** An extra: without it the texts of channels are missing, and nothing else. */
const LOOKUPS: Step = {
  subject: "lookups",
  run: async (api, signal) => {
    try {
      const list = await api.lookups(signal);
      if (list === undefined) return { text: "not offered by this server: states of channels are not shown" };
      return describeList(`${list.items.length} visible`, list.skipped);
    } catch (error) {
      if (!(error instanceof ExporterError)) throw error;
      return warning(`cannot be read: ${describeFault(error)}`, "Nothing if prtg_channel_state is not missed.");
    }
  },
};

function listStep(
  kind: NodeKind,
  { collectors, metrics }: Config,
  keep: (records: readonly NodeRecord[]) => void,
): Step {
  const statusSummary = collectors.status.enabled && metrics.nodeSensors.some((counted) => counted === kind);
  const options = { interval: collectors.tree.enabled, statusSummary };
  return {
    subject: `${kind}s`,
    run: async (api, signal) => {
      try {
        const { items, skipped } = await api.nodes(kind, options, signal);
        keep(items);
        if (kind === "sensor" && items.length + skipped === 0) {
          throw new ExporterError("API_FORBIDDEN", "the user sees no sensors", { remedy: RIGHTS_REMEDY });
        }
        return describeList(`${items.length} visible`, skipped);
      } catch (error) {
        const dispensable = error instanceof ExporterError && error.code === "API_ENDPOINT_MISSING";
        if (kind === "sensor" || !dispensable) throw error;
        return warning(`${describeFault(error)}: the tree is shown without ${kind}s`, "Update the server.");
      }
    },
  };
}

/** Whether the user sees the whole tree. Needs what the lists found. */
function visibilityStep(lists: ReadonlyMap<NodeKind, readonly NodeRecord[]>): Step {
  return {
    subject: "visibility",
    run: async () => {
      const records = [...lists.values()].flat();
      if (lists.size < 4 || records.length === 0) {
        return { verdict: "skipped", text: "cannot be judged from these lists" };
      }
      const visible = new Set(records.map(({ id }) => id));
      const cutOff = records.filter(({ parent }) => parent !== undefined && !isRoot(parent) && !visible.has(parent.id));
      if (cutOff.length === 0) return { text: "the user sees the parents of all these objects" };
      return warning(
        `the user does not see the parents of ${cutOff.length} of these ${records.length} objects: they are a part of the tree`,
        "Nothing if that is meant; else give the user read access to the root group.",
      );
    },
  };
}

function channelsStep(limits: boolean): Step {
  return {
    subject: "channels",
    run: async (api, signal) => {
      const { items, skipped } = await api.channels({ limits }, signal);
      const measured = items.filter(({ value }) => value !== undefined).length;
      return describeList(`${items.length} visible, ${measured} with a value`, skipped);
    },
  };
}

function describeList(text: string, skipped: number): StepResult {
  if (skipped === 0) return { text };
  return warning(
    `${text}; ${skipped} records cannot be understood and are left out`,
    "Report it with the version of the server: the exporter should understand what servers send.",
  );
}

function warning(text: string, remedy: string): StepResult {
  return { verdict: "warning", text, remedy };
}
