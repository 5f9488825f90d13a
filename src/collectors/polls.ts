import { serverVersion } from "../prtg/decode/system-records.ts";
import type { MonitoringApi } from "../prtg/monitoring-api.ts";
import type { Section } from "../prtg/node-record.ts";
import type { ChannelRecords } from "../prtg/records.ts";
import type { PollResult } from "./collector.ts";
import { goesOnWithout, PartialPoll } from "./failures.ts";
import type { PolledServer, ServerHealth } from "./polled-server.ts";
import type { StateWriter } from "./state-writer.ts";

export const VERSION_EVERY_MS = 5 * 60_000;

/** While one of many servers sends lists, a check a minute is enough: it shows a license that became inactive. */
const CHECK_EVERY_MS = 60_000;
/** A list that is not older shows that the server works: the default period of lists, and their random wait. */
const LIST_PROVES_FOR_MS = 35_000;

/** Whether the server works, and from time to time its version. */
export async function pollHealth(server: PolledServer, signal: AbortSignal): Promise<PollResult> {
  const { health } = server.history;
  try {
    if (needsCheck(health, server.clock.monotonic())) {
      await server.connection.api.health(signal);
      health.checkedAt = server.clock.monotonic();
    }
  } catch (error) {
    signal.throwIfAborted();
    health.hasFailed = true;
    // An update may be the reason.
    health.nextVersionAt = Number.NEGATIVE_INFINITY;
    throw error;
  }
  if (health.hasFailed) server.onRecovered();
  health.hasFailed = false;
  if (server.clock.monotonic() >= health.nextVersionAt) await pollVersion(server, signal);
  return { complete: true };
}

function needsCheck({ hasFailed, checkedAt, listedAt }: ServerHealth, now: number): boolean {
  return hasFailed || now - listedAt > LIST_PROVES_FOR_MS || now - checkedAt >= CHECK_EVERY_MS;
}

/** A server without a version is healthy too. */
async function pollVersion(server: PolledServer, signal: AbortSignal): Promise<void> {
  const { connection, writer, clock } = server;
  const { health } = server.history;
  health.nextVersionAt = clock.monotonic() + VERSION_EVERY_MS;
  let version: string | undefined;
  try {
    version = serverVersion(await connection.api.version(signal));
  } catch (error) {
    // The next run tries again.
    if (signal.aborted) health.nextVersionAt = Number.NEGATIVE_INFINITY;
    signal.throwIfAborted();
    if (!goesOnWithout("version", error)) throw error;
    health.versionFailures.recordFailure(error);
    return;
  }
  health.versionFailures.recordSuccess();
  if (version === undefined) return;
  const changed = health.version !== undefined && version !== health.version;
  health.version = version;
  await writer.applyVersion(version);
  if (changed) server.onNewVersion();
}

/** The last measurement of every channel. */
export async function pollChannels(
  { connection: { api }, history, writer, memory, clock, lists }: PolledServer,
  signal: AbortSignal,
): Promise<PollResult> {
  await lists.beforeList();
  return memory.lend(async (held) => {
    const requestedAt = clock.monotonic();
    const list = await api.channels({}, signal);
    held.add(list.bytes ?? 0);
    signal.throwIfAborted();
    await writer.applyChannels(list);
    const needsTree = history.nodes.parents.areNew(writer.state.unknownIds());
    await lists.follow(list.items, requestedAt);
    return { complete: list.complete, needsTree };
  });
}

/** Limits and lookups of every channel. They rarely change and need two more sections of each channel. */
export function pollLimits(
  { connection: { api }, history: { lookups }, writer, memory }: PolledServer,
  signal: AbortSignal,
): Promise<PollResult> {
  return memory.lend(async (held) => {
    const definitions = await lookups.read(api, signal);
    const needsLookups = definitions !== undefined && definitions.size > 0;
    const list = await api.channels({ sections: limitSections(needsLookups) }, signal);
    if (needsLookups) lookups.record(list.refused?.includes("values") === true);
    held.add(list.bytes ?? 0);
    signal.throwIfAborted();
    await writer.applyLimits(list, definitions);
    return { complete: list.complete };
  });
}

/** `check` reads the same. */
export function limitSections(needsLookups: boolean): ReadonlySet<Section> {
  return new Set<Section>(needsLookups ? ["alerting", "values"] : ["alerting"]);
}

/** Time series of the sensors that are due: values that the lists missed, and those of fast sensors. */
export async function pollTimeSeries({ series }: PolledServer, signal: AbortSignal): Promise<PollResult> {
  if (series === undefined) return { complete: true };
  try {
    const { failed } = await series.engine.readDue(signal);
    return { complete: failed === 0 };
  } finally {
    await series.latest.write();
  }
}

/** After so many probes without an answer, the server does not have this detail. */
const MAX_SILENT_PROBES = 2;

/** License, connections of probes, auto-discoveries, primary channels. They change seldom and need a request each. */
export async function pollDetails(
  { connection, writer, memory }: PolledServer,
  signal: AbortSignal,
): Promise<PollResult> {
  const { details } = connection.api;
  // Nothing is left out by `servers[].select`.
  const isWhole = connection.selected === undefined;
  const parts = new PartialPoll(signal);
  // Both count the whole server.
  const license = isWhole ? await parts.read(() => details.license(signal)) : undefined;
  const autodiscoveries = isWhole ? await parts.read(() => details.autodiscoveries(signal)) : undefined;
  const probes = await readProbes(details, writer, parts, signal);
  const complete = await memory.lend(async (held) => {
    const list = (await parts.read(() => details.primaryChannels(signal)))?.value;
    held.add(list?.bytes ?? 0);
    // An incomplete list does not show which channels are no longer primary.
    const primary = list?.complete === true && isOnePerSensor(list.items) ? list.items : undefined;
    signal.throwIfAborted();
    await writer.applyDetails({ license: license?.value, autodiscoveries: autodiscoveries?.value, probes, primary });
    return list?.complete !== false;
  });
  signal.throwIfAborted();
  return { complete, error: parts.error };
}

/** One request each. */
async function readProbes(
  details: MonitoringApi["details"],
  writer: StateWriter,
  parts: PartialPoll,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, boolean>> {
  const connections = new Map<string, boolean>();
  let silent = 0;
  for (const { id, kind } of [...writer.state.tree.nodes.values()]) {
    if (kind !== "probe" || (silent >= MAX_SILENT_PROBES && connections.size === 0)) continue;
    const isConnected = (await parts.read(() => details.probeConnected(id, signal)))?.value;
    if (isConnected === undefined) silent++;
    else connections.set(id, isConnected);
  }
  return connections;
}

/** Whether these can be the primary channels: a server that ignores the filter lists all channels. */
export function isOnePerSensor(channels: ChannelRecords): boolean {
  return new Set(channels.values().map(({ sensorId }) => sensorId)).size === channels.length;
}
