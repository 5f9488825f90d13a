import type { Logger } from "pino";
import { z } from "zod";
import { PartialPoll } from "../../collectors/failures.ts";
import { readNodeLists } from "../../collectors/node-polls.ts";
import { NodeGaps } from "../../collectors/polled-server.ts";
import { ExporterError } from "../../errors/exporter-error.ts";
import { reconcile } from "../../model/reconcile.ts";
import { EMPTY_TREE, NODE_KINDS, type NodePoll, ROOT_ID, type Tree, type TreeNode } from "../../model/tree.ts";
import type { MonitoringApi } from "../../prtg/monitoring-api.ts";
import type { NodeRecord } from "../../prtg/node-record.ts";
import type { ChannelRecord } from "../../prtg/records.ts";
import { STATUS_TOKENS } from "../../prtg/status.ts";

export interface RecordedServer {
  readonly name: string;
  readonly nodes: readonly NodeRecord[];
  readonly channels: readonly ChannelRecord[];
}

/** Records of one poll, to test rules without a server. */
export interface Recording {
  /** Milliseconds since the epoch. */
  readonly recordedAt: number;
  readonly version: string;
  readonly servers: readonly RecordedServer[];
}

const FORMAT = "prtg-exporter recording";
/** Increase it if older exporters cannot read the format. */
const FORMAT_VERSION = 1;

const id = z.string().min(1);

const reference = z.strictObject({ id, name: z.string().optional(), kind: z.string().optional() });

/** Everything that paths, labels and rules need. No addresses, no states. */
const node = z.strictObject({
  id,
  kind: z.enum(NODE_KINDS),
  name: z.string(),
  parent: reference.optional(),
  ancestors: z.array(reference).optional(),
  status: z.enum(STATUS_TOKENS),
  type: z.string(),
  typeName: z.string(),
  tags: z.array(z.string()),
});

const channel = z.strictObject({
  sensorId: id,
  channelId: id,
  name: z.string(),
  unit: z.string(),
  value: z.number().optional(),
  measuredAt: z.number().optional(),
});

const recordingSchema = z.strictObject({
  format: z.literal(FORMAT),
  formatVersion: z.literal(FORMAT_VERSION),
  version: z.string(),
  recordedAt: z.iso.datetime(),
  servers: z.array(z.strictObject({ name: z.string(), nodes: z.array(node), channels: z.array(channel) })),
});

/** @param redact Applied to all texts. */
export function writeRecording({ recordedAt, version, servers }: Recording, redact: (text: string) => string): string {
  const file = {
    format: FORMAT,
    formatVersion: FORMAT_VERSION,
    version,
    recordedAt: new Date(recordedAt).toISOString(),
    servers: servers.map(({ name, nodes, channels }) => ({
      name,
      nodes: nodes.map((each) => recorded(each, node)),
      channels: channels.map((each) => recorded(each, channel)),
    })),
  };
  return `${JSON.stringify(file, (_key, value) => (typeof value === "string" ? redact(value) : value))}\n`;
}

/** The fields in the schema. */
function recorded(record: NodeRecord | ChannelRecord, { shape }: typeof node | typeof channel): object {
  return Object.fromEntries(Object.entries(record).filter(([name]) => name in shape));
}

/** @throws ExporterError RECORDING_INVALID, with the first problem */
export function readRecording(text: string, file: string): Recording {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    throw new ExporterError("RECORDING_INVALID", `${file} is not JSON`, { cause: error });
  }
  const version = otherVersion(content);
  if (version !== undefined) {
    const found = `${file} has version ${version} of the format, this exporter reads ${FORMAT_VERSION}`;
    throw new ExporterError("RECORDING_INVALID", found);
  }
  const { data, error } = recordingSchema.safeParse(content);
  if (data === undefined) {
    const [issue] = error.issues;
    const where = issue?.path.map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`)).join("") ?? "";
    const place = where === "" ? "" : ` at ${where.replace(/^\./, "")}`;
    throw new ExporterError("RECORDING_INVALID", `${file} is not a recording${place}: ${issue?.message}`);
  }
  return { recordedAt: Date.parse(data.recordedAt), version: data.version, servers: data.servers };
}

/** Checked first: errors of another version would not show the reason. */
function otherVersion(content: unknown): string | undefined {
  const isRecording =
    typeof content === "object" && content !== null && "format" in content && content.format === FORMAT;
  if (!isRecording || !("formatVersion" in content) || content.formatVersion === FORMAT_VERSION) return undefined;
  return JSON.stringify(content.formatVersion);
}

/** @throws ApiError if a list fails, and the signal's reason */
export async function recordServer(
  name: string,
  api: MonitoringApi,
  log: Logger,
  signal: AbortSignal,
): Promise<RecordedServer> {
  const parts = new PartialPoll(signal);
  const options = { gaps: new NodeGaps(log), parts, optionsFor: () => ({}) };
  const { lists, complete } = await readNodeLists(api, options, signal);
  if (parts.error !== undefined) throw parts.error;
  const channels = await api.channels({}, signal);
  if (!complete || !channels.complete) log.warn("the lists changed while they were read: some objects may be missing");
  const nodes = NODE_KINDS.flatMap((kind) => lists[kind]?.items ?? []);
  return { name, nodes, channels: [...channels.items] };
}

/** As after the first poll of `serve`. */
export function treeOf({ nodes }: Pick<RecordedServer, "nodes">): Tree {
  const poll = Object.fromEntries(
    NODE_KINDS.map((kind) => {
      const items = nodes.filter((node) => node.kind === kind);
      return [kind, { items, complete: true, skipped: 0 }];
    }),
  );
  return reconcile(EMPTY_TREE, poll satisfies NodePoll).tree;
}

/** Records of one sensor and the objects above it. */
export function onlySensor(recorded: RecordedServer, tree: Tree, sensorId: string): RecordedServer {
  const kept = new Set<string>();
  for (let id = sensorId; id !== ROOT_ID && !kept.has(id); id = tree.nodes.get(id)?.parentId ?? ROOT_ID) kept.add(id);
  return {
    name: recorded.name,
    nodes: recorded.nodes.filter(({ id }) => kept.has(id)),
    channels: recorded.channels.filter((channel) => channel.sensorId === sensorId),
  };
}

export function sensorIn(tree: Tree, id: string): TreeNode | undefined {
  const node = tree.nodes.get(id);
  return node?.kind === "sensor" ? node : undefined;
}
