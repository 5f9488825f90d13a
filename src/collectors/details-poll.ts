import type { MonitoringApi } from "../prtg/monitoring-api.ts";
import type { ChannelRecords } from "../prtg/records.ts";
import type { PollResult } from "./collector.ts";
import { PartialPoll } from "./failures.ts";
import type { PolledServer } from "./polled-server.ts";
import type { StateWriter } from "./state-writer.ts";

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
