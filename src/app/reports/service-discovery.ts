import { isIPv6 } from "node:net";
import type { Config } from "../../config/load.ts";
import type { Redactor } from "../../errors/redactor.ts";
import type { Discovery, DiscoveryQuery, DiscoveryResult } from "../../http/pages/service-discovery-endpoint.ts";
import type { Clock } from "../../lib/clock.ts";
import { TimeSlices } from "../../lib/yielding.ts";
import type { TreeNode } from "../../model/tree.ts";
import { parseStatus, STATUS_TOKENS, type StatusToken } from "../../prtg/status.ts";
import type { MonitoredServer } from "../monitored-server.ts";
import type { TreeView } from "./sources.ts";

export interface DiscoverySources {
  readonly clock: Clock;
  /** Servers by their configured name. */
  readonly monitors: ReadonlyMap<string, Pick<MonitoredServer, "status"> & { readonly view: TreeView }>;
  /** A standby replica knows no devices. */
  readonly config?: Pick<Config, "standbyFor">;
}

/** Characters of one write. */
const PIECE_LENGTH = 64 * 1_024;

/**
 * Devices with a host as targets, in the order of the tree. Without the tree of a server the answer is 503: Prometheus would drop
 * its targets.
 */
export function createDiscovery(current: () => DiscoverySources, redactor: Redactor): Discovery {
  return async (question, gone) => {
    const statuses = readStatuses(question.statuses);
    if (statuses === undefined) {
      return { status: 400, text: `status: expected ${STATUS_TOKENS.join(", ")}, or an empty value if it is unknown` };
    }
    const sources = current();
    const servers = question.servers.length === 0 ? [...sources.monitors.keys()] : question.servers;
    const refusal = refusalOf(sources, servers);
    if (refusal !== undefined) return refusal;
    const slices = new TimeSlices(sources.clock, gone, "reader");
    const pieces: Buffer[] = [];
    let piece = "";
    for (const server of new Set(servers)) {
      const monitor = sources.monitors.get(server);
      if (monitor === undefined) continue;
      for (const node of monitor.view.state.tree.nodes.values()) {
        const turn = slices.step();
        if (turn !== undefined) await turn;
        const target = targetOf(server, node, monitor.view.state.statusOf(node) ?? "", {
          ...question,
          statuses,
        });
        if (target === undefined) continue;
        // Names, hosts and tags come from outside and may contain a secret.
        piece += `${piece === "" && pieces.length === 0 ? "[" : ",\n"}${redactor.redact(JSON.stringify(target))}`;
        if (piece.length < PIECE_LENGTH) continue;
        pieces.push(Buffer.from(piece));
        piece = "";
      }
    }
    const isEmpty = piece === "" && pieces.length === 0;
    return { status: 200, json: [...pieces, Buffer.from(isEmpty ? "[]\n" : `${piece}]\n`)] };
  };
}

/** Statuses in the spelling of labels; `undefined` for an unknown status, which would match no target. */
function readStatuses(texts: readonly string[]): readonly (StatusToken | "")[] | undefined {
  const statuses = texts.map((text) => (text === "" ? text : parseStatus(text)));
  return statuses.every((status) => status !== undefined) ? statuses : undefined;
}

function refusalOf({ monitors, config }: DiscoverySources, servers: readonly string[]): DiscoveryResult | undefined {
  if (config?.standbyFor !== undefined)
    return { status: 503, text: "This replica is a standby. Ask the leader for the devices." };
  for (const server of servers) {
    const monitor = monitors.get(server);
    if (monitor === undefined) return { status: 404, text: "There is no server with this name." };
    const tree = monitor.status().collectors.find(({ name }) => name === "tree");
    if (tree === undefined) return { status: 503, text: "Devices are not known: the collector tree is disabled." };
    if (tree.lastSuccessAt === undefined) {
      return { status: 503, text: "Devices are not known yet: the exporter has not read the whole tree." };
    }
  }
  return undefined;
}

/** A group of the format, with one target. */
interface DiscoveredTarget {
  readonly targets: readonly [string];
  readonly labels: Readonly<Record<`__meta_prtg_${string}`, string>>;
}

function targetOf(
  server: string,
  node: TreeNode,
  status: string,
  { kinds, tags, probes, groups, statuses, port }: DiscoveryQuery,
): DiscoveredTarget | undefined {
  if (node.kind !== "device") return undefined;
  const host = hostOf(node);
  const all = new Set([...node.inheritedTags, ...node.tags]);
  const fits = (allowed: readonly string[], value: string) => allowed.length === 0 || allowed.includes(value);
  if (host === undefined || !fits(kinds, node.type) || !fits(probes, node.probe) || !fits(groups, node.group)) {
    return undefined;
  }
  if (!fits(statuses, status) || (tags.length > 0 && !tags.some((tag) => all.has(tag)))) return undefined;
  const labels = {
    __meta_prtg_server: server,
    __meta_prtg_device_id: node.id,
    __meta_prtg_device: node.name,
    __meta_prtg_host: host,
    __meta_prtg_kind: node.type,
    __meta_prtg_kind_name: node.typeName,
    __meta_prtg_probe: node.probe,
    __meta_prtg_group: node.group,
    __meta_prtg_path: node.path,
    __meta_prtg_tags: tagText(node.tags),
    __meta_prtg_inherited_tags: tagText(node.inheritedTags),
    __meta_prtg_status: status,
    __meta_prtg_priority: String(node.priority ?? ""),
    __meta_prtg_favorite: String(node.favorite ?? ""),
  };
  // Half of a character cannot be sent as UTF-8.
  const wellFormed = Object.entries(labels).map(([name, value]) => [name, value.toWellFormed()] as const);
  return { targets: [addressOf(host, port)], labels: Object.fromEntries(wellFormed) };
}

/** Like other service discoveries: a comma on each side, so that `,wan,` matches a whole tag. */
function tagText(tags: readonly string[]): string {
  return tags.length === 0 ? "" : `,${tags.join(",")},`;
}

/** Prometheus refuses a target with a slash. */
const NO_HOST = /[\s\p{Cc}/\\?#@"'<>{}|^`]/u;

/** Host without brackets; `undefined` without a valid host. */
function hostOf({ host = "" }: TreeNode): string | undefined {
  const bare = /^\[(.+)\]$/.exec(host.trim())?.[1] ?? host.trim();
  return bare === "" || NO_HOST.test(bare) ? undefined : bare;
}

function addressOf(host: string, port: number | undefined): string {
  const address = host.toWellFormed();
  if (port === undefined) return address;
  return isIPv6(host) ? `[${address}]:${port}` : `${address.replace(/:\d+$/, "")}:${port}`;
}
