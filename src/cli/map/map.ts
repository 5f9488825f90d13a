import { open } from "node:fs/promises";
import { connectSelected } from "../../app/connect-server.ts";
import {
  type CommandContext,
  createContext,
  loadFlaggedConfig,
  type ProcessRuntime,
  type ServerClientContext,
} from "../../app/context.ts";
import { mappingOf } from "../../app/mapping.ts";
import { redactStrings } from "../../app/reports/report-values.ts";
import { allPresets, unnamedChannels } from "../../app/unnamed-channels.ts";
import { type Environment, SERVER_VARIABLES } from "../../config/environment.ts";
import { fileFault } from "../../config/reading-files.ts";
import type { ServerConfig } from "../../config/resolve.ts";
import { ExporterError } from "../../errors/exporter-error.ts";
import type { Redactor } from "../../errors/redactor.ts";
import { MAX_DATA_BYTES, readTextFile } from "../../lib/bounded-files.ts";
import { closing, PRIVATE_FILE } from "../../lib/durable-file.ts";
import { TimeSlices } from "../../lib/yielding.ts";
import { accountFor, type ChannelMapper } from "../../mapping/channel-mapper.ts";
import { RuleUse } from "../../mapping/rules/rule-use.ts";
import type { Tree } from "../../model/tree.ts";
import { ExporterMetrics } from "../../telemetry/exporter-metrics.ts";
import { serverRecorder } from "../../telemetry/recorders.ts";
import type { MapFlags } from "../flags.ts";
import { interruption } from "../signals.ts";
import { conclude, type MappedChannel, mapJson, mapTable } from "./output.ts";
import {
  onlySensor,
  type RecordedServer,
  type Recording,
  readRecording,
  recordServer,
  sensorIn,
  treeOf,
  writeRecording,
} from "./recording.ts";

interface ReadServer {
  readonly recorded: RecordedServer;
  readonly tree: Tree;
}

/** Resolves with the exit code. @throws ExporterError, and errors of the client */
export async function map(flags: MapFlags, redactor: Redactor): Promise<number> {
  const interrupted = interruption();
  const context = await createContext(flags, redactor);
  const recording = flags.recording === undefined ? undefined : await openRecording(flags.recording);
  const env = recording === undefined ? process.env : withoutServer(process.env);
  const { config } = await loadFlaggedConfig(flags, context, env);
  let servers: readonly RecordedServer[];
  try {
    servers =
      recording === undefined
        ? await readServers(chooseServers(config.servers, flags.server), context, interrupted.signal)
        : chooseServers(recording.servers, flags.server);
  } catch (error) {
    if (interrupted.exitCode !== undefined) return interrupted.exitCode;
    throw error;
  }
  const chosen = chooseSensor(servers, flags.sensor);
  if (flags.save !== undefined) {
    const recordings = chosen.map(({ recorded }) => recorded);
    await saveRecording(flags.save, recordings, context);
  }
  const { mapper } = mappingOf(config);
  const channels = chosen.flatMap((server) => mappedChannels(server, mapper));
  if (flags.format === "json") {
    await printJson(channels, context);
  } else {
    context.print(`${mapTable(channels, servers.length > 1, config.labels)}\n${conclude(channels)}`);
    for (const text of isWhole(flags) ? idleRules(mapper, channels) : []) context.print(`warning: ${text}`);
    const unnamed = unnamedChannels(await allPresets(), channels);
    if (unnamed.length > 0) {
      context.print(["no preset matches these names (please report these lines):", ...unnamed].join("\n  "));
    }
  }
  return 0;
}

/** The recording replaces the server, so a file with only rules and labels is valid. */
function withoutServer(env: Environment): Environment {
  const others = Object.entries(env).filter(([name]) => !SERVER_VARIABLES.some((variable) => variable.name === name));
  return { ...Object.fromEntries(others), PRTG_URL: "http://recording.invalid", PRTG_API_KEY: "no-key-is-needed" };
}

function chooseServers<Server extends { readonly name: string }>(
  servers: readonly Server[],
  name: string | undefined,
): readonly Server[] {
  if (name === undefined) return servers;
  const named = servers.filter((server) => server.name === name);
  if (named.length > 0) return named;
  const names = servers.map((server) => server.name).join(", ");
  throw new ExporterError("MAP_SERVER_UNKNOWN", `there is no server ${name}, only ${names}`);
}

async function readServers(
  servers: readonly ServerConfig[],
  context: ServerClientContext,
  signal: AbortSignal,
): Promise<RecordedServer[]> {
  return Promise.all(
    servers.map(async (server) => {
      const log = context.log.child({ server: server.name });
      const metrics = serverRecorder(new ExporterMetrics(context.build, () => []), server.name);
      const api = connectSelected(server, metrics, log, context);
      try {
        return await recordServer(server.name, api, log, signal);
      } finally {
        await api.close();
      }
    }),
  );
}

/** Everything, or one sensor of the servers that have it. */
function chooseSensor(servers: readonly RecordedServer[], sensorId: string | undefined): readonly ReadServer[] {
  const read = servers.map((recorded) => ({ recorded, tree: treeOf(recorded) }));
  if (sensorId === undefined) return read;
  const having = read.filter(({ tree }) => sensorIn(tree, sensorId) !== undefined);
  if (having.length > 0) {
    return having.map(({ recorded, tree }) => ({ recorded: onlySensor(recorded, tree, sensorId), tree }));
  }
  const other = read.map(({ tree }) => tree.nodes.get(sensorId)).find((node) => node !== undefined);
  const where = servers.map(({ name }) => name).join(", ");
  const text = other === undefined ? `${where}: no sensor ${sensorId}` : `${sensorId} is a ${other.kind}, not a sensor`;
  throw new ExporterError("MAP_SENSOR_UNKNOWN", text);
}

/** Other channels may match the rules. */
function isWhole({ all, server }: MapFlags): boolean {
  return all === true && server === undefined;
}

function idleRules({ rules }: ChannelMapper, channels: readonly MappedChannel[]): readonly string[] {
  if (rules === undefined || channels.length === 0) return [];
  const use = new RuleUse(rules);
  for (const { sensor, channel } of channels) use.add(sensor, channel);
  return use.idle();
}

/** Hundreds of thousands do not fit into one string. */
async function printJson(
  channels: readonly MappedChannel[],
  { print, redactor, clock }: Pick<CommandContext, "print" | "redactor" | "clock">,
): Promise<void> {
  const slices = new TimeSlices(clock);
  print("[");
  for (const [index, channel] of mapJson(channels).entries()) {
    print(`${JSON.stringify(await redactStrings(channel, redactor, slices))}${index < channels.length - 1 ? "," : ""}`);
  }
  print("]");
}

/** In the order of the list, without channels of invisible sensors, as on the page. */
function mappedChannels({ recorded, tree }: ReadServer, mapper: ChannelMapper): MappedChannel[] {
  return recorded.channels.flatMap((channel) => {
    const sensor = sensorIn(tree, channel.sensorId);
    if (sensor === undefined) return [];
    const account = accountFor(mapper, recorded.name, sensor, channel);
    return [{ server: recorded.name, sensor, channel, account }];
  });
}

async function openRecording(file: string): Promise<Recording> {
  let text: string;
  try {
    text = await readTextFile(file, { maxBytes: MAX_DATA_BYTES });
  } catch (error) {
    throw new ExporterError("RECORDING_UNREADABLE", `${file} cannot be read: ${fileFault(error)}`);
  }
  return readRecording(text, file);
}

async function saveRecording(
  file: string,
  servers: readonly RecordedServer[],
  { build, clock, log, redactor }: ProcessRuntime,
): Promise<void> {
  const recording = { recordedAt: clock.now(), version: build.version, servers };
  try {
    const text = writeRecording(recording, (part) => redactor.redact(part));
    await closing(open(file, "w", PRIVATE_FILE), async (output) => {
      // The file names machines, and an existing file may be readable by others.
      if ((await output.stat()).isFile()) await output.chmod(PRIVATE_FILE).catch(() => undefined);
      await output.writeFile(text);
    });
  } catch (error) {
    throw new ExporterError("RECORDING_UNWRITABLE", `${file} cannot be written: ${fileFault(error)}`);
  }
  log.info({ file }, "recording written");
}
