import type { Section } from "../prtg/records.ts";
import type { PollResult } from "./collector.ts";
import type { PolledServer } from "./polled-server.ts";

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
