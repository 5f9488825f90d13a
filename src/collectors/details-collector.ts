import type { Extras } from "../lib/extra-work.ts";
import type { DetailsUpdate } from "../model/details.ts";
import type { ChannelRecord } from "../prtg/records.ts";
import type { Collector, RunResult } from "./collector.ts";
import { runExtra } from "./extra-run.ts";
import { PartialPoll } from "./partial-poll.ts";
import type { ServerReader } from "./server-reader.ts";
import type { StateWriter } from "./state-writer.ts";

/** Probes without an answer, one after the other, before the server is taken for one that does not tell. */
const MAX_SILENT_PROBES = 2;

/**
 * License, connections of probes, auto-discoveries under way, primary channels. They change seldom, are asked for one by one, and what
 * a server does not tell is not shown.
 */
export class DetailsCollector implements Collector {
  readonly name = "details";
  readonly #reader: ServerReader;
  readonly #writer: StateWriter;
  readonly #extras: Extras;
  #isFirst = true;

  constructor(reader: ServerReader, writer: StateWriter, extras: Extras) {
    this.#reader = reader;
    this.#writer = writer;
    this.#extras = extras;
  }

  run(signal: AbortSignal): Promise<RunResult> {
    const poll = () => this.#poll(signal);
    return runExtra(this.#extras, { collector: this.name, isFirst: this.#isFirst, poll }, signal);
  }

  async #poll(signal: AbortSignal): Promise<RunResult> {
    const { details } = this.#reader.api;
    const poll = new PartialPoll(signal);
    // What is told of the server as a whole says nothing of a part.
    const isWhole = this.#reader.selected === undefined;
    const license = isWhole ? await poll.read(() => details.license(signal)) : undefined;
    const autodiscoveries = isWhole ? await poll.read(() => details.autodiscoveries(signal)) : undefined;
    const probes = await this.#probes(poll, signal);
    const isComplete = await this.#reader.memory.lend(async (held) => {
      const primary = await poll.read(() => details.primaryChannels(signal));
      const list = primary?.value;
      held.add(list?.bytes ?? 0);
      this.#isFirst = false;
      const update: DetailsUpdate = {
        license: license?.value,
        autodiscoveries: autodiscoveries?.value,
        probes,
        // Of a part of a list it is not known which channels are none any more.
        primary: list?.complete === true && isOnePerSensor(list.items) ? list.items : undefined,
      };
      signal.throwIfAborted();
      await this.#writer.applyDetails(update);
      return list?.complete !== false;
    });
    poll.throwIfFailed();
    return { complete: isComplete };
  }

  /** One request each. */
  async #probes(poll: PartialPoll, signal: AbortSignal): Promise<ReadonlyMap<string, boolean>> {
    const { details } = this.#reader.api;
    const told = new Map<string, boolean>();
    let silent = 0;
    for (const { id, kind } of [...this.#writer.state.tree.nodes.values()]) {
      if (kind !== "probe" || (silent >= MAX_SILENT_PROBES && told.size === 0)) continue;
      const connected = (await poll.read(() => details.probeConnected(id, signal)))?.value;
      if (connected === undefined) silent++;
      else told.set(id, connected);
    }
    return told;
  }
}

/** Whether these can be the primary channels: a server that ignores the filter lists all channels. */
export function isOnePerSensor(channels: readonly Pick<ChannelRecord, "sensorId">[]): boolean {
  return new Set(channels.map(({ sensorId }) => sensorId)).size === channels.length;
}
