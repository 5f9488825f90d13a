import type { ServerClientContext } from "../../app/context.ts";
import { Exporter } from "../../app/exporter.ts";
import { mappingOf } from "../../app/mapping.ts";
import type { MonitoredServer } from "../../app/monitored-server.ts";
import { collectorsWith } from "../../collectors/collector.ts";
import { isOutOfReach } from "../../collectors/failures.ts";
import type { Config } from "../../config/load.ts";
import type { ServerConfig } from "../../config/resolve.ts";
import { describeFault } from "../../errors/exporter-error.ts";
import { readServed, type ServedSources } from "./served-facts.ts";
import {
  type ComparedObject,
  type Difference,
  factsOfChannel,
  factsOfSensor,
  judge,
  type ObjectFacts,
} from "./verdict.ts";

/** Time between two polls, in which few objects change. */
const BATCH_MS = 15_000;
/** After so many failures, the server's single endpoints do not work. */
const MAX_FAILURES = 20;

export interface Differing {
  readonly object: ComparedObject;
  readonly differences: readonly Difference[];
}

export interface Comparison {
  /** Channels and sensors that the page has. */
  readonly known: number;
  readonly chosen: number;
  agreed: number;
  changed: number;
  /** Agreeing channels whose value the page withholds, by reason. */
  readonly withheld: Map<string, number>;
  readonly differing: Differing[];
  notRead: number;
  /** First failure. */
  failure: string | undefined;
}

export interface CompareOptions {
  readonly config: Config;
  readonly count: number;
  /** Number from 0 to below 1. */
  readonly random: () => number;
  /** Called before the first request for an object. */
  readonly onStart: (comparison: Comparison) => void;
}

/**
 * Compares the metrics page with the stable endpoints of single objects. The page is that of `serve`, from the same lists
 * by the same code. @throws Error if a poll fails, and the signal's reason
 */
export async function compareServer(
  server: ServerConfig,
  options: CompareOptions,
  context: ServerClientContext,
  signal: AbortSignal,
): Promise<Comparison> {
  const config = onlyLists(options.config, server);
  const exporter = new Exporter(config, { ...context, eventLoopBusyMs: () => 0 });
  try {
    const monitor = exporter.monitor(server.name);
    if (monitor === undefined) throw new TypeError(`no server ${server.name}`);
    const { mapper } = mappingOf(config);
    const run = new ComparisonRun({ exporter, monitor, mapper, server, options, context, signal });
    return await run.compare();
  } finally {
    await exporter.stop();
  }
}

/** Extras read nothing that is compared. */
function onlyLists(config: Config, server: ServerConfig): Config {
  const extras = collectorsWith("isExtra").map(
    (name) => [name, { ...config.collectors[name], enabled: false }] as const,
  );
  return { ...config, servers: [server], collectors: { ...config.collectors, ...Object.fromEntries(extras) } };
}

interface RunOptions extends ServedSources {
  readonly exporter: Exporter;
  readonly monitor: MonitoredServer;
  readonly server: ServerConfig;
  readonly options: CompareOptions;
  readonly context: Pick<ServerClientContext, "clock">;
  readonly signal: AbortSignal;
}

type Answer = { readonly own: ObjectFacts | undefined } | { readonly error: unknown };

class ComparisonRun {
  readonly #run: RunOptions;

  constructor(run: RunOptions) {
    this.#run = run;
  }

  async compare(): Promise<Comparison> {
    const { options, monitor } = this.#run;
    await this.#poll();
    const known = [...objectsOf(monitor)];
    const chosen = sampleOf(known, options.count, options.random);
    const comparison: Comparison = {
      ...{ known: known.length, chosen: chosen.length, agreed: 0, changed: 0, notRead: 0, failure: undefined },
      ...{ withheld: new Map(), differing: [] },
    };
    options.onStart(comparison);
    let before = await this.#served(chosen);
    for (let from = 0; from < chosen.length; ) {
      const answers = await this.#readBatch(chosen, from);
      await this.#poll();
      const after = await this.#served(chosen);
      for (const [object, answer] of answers) {
        if ("error" in answer) countFailure(comparison, answer.error);
        else countVerdict(comparison, object, judge(answer.own, before.get(object), after.get(object)));
      }
      if (comparison.notRead >= Math.min(MAX_FAILURES, chosen.length) && comparison.notRead === from + answers.size) {
        comparison.notRead = chosen.length;
        return comparison;
      }
      from += answers.size;
      before = after;
    }
    return comparison;
  }

  async #poll(): Promise<void> {
    const { exporter, monitor, signal } = this.#run;
    const worked = await exporter.pollOnce(signal);
    signal.throwIfAborted();
    if (worked) return;
    const failed = monitor.runs().find(({ error }) => error !== undefined);
    throw new Error(`collector ${failed?.name}: ${failed?.error}`);
  }

  #served(objects: readonly ComparedObject[]): Promise<ReadonlyMap<ComparedObject, ObjectFacts>> {
    return readServed(this.#run, objects, this.#run.context.clock.monotonic());
  }

  /** Reads at least one object, and begins no other after `BATCH_MS`. */
  async #readBatch(objects: readonly ComparedObject[], from: number): Promise<ReadonlyMap<ComparedObject, Answer>> {
    const { server, context } = this.#run;
    const end = context.clock.monotonic() + BATCH_MS;
    const answers = new Map<ComparedObject, Answer>();
    let next = from;
    const work = async (): Promise<void> => {
      do {
        const object = objects[next++];
        if (object === undefined) return;
        answers.set(object, await this.#readOwn(object));
      } while (context.clock.monotonic() < end);
    };
    // Requests wait for their turn within their timeout, so no more of them start at once.
    await Promise.all(Array.from({ length: server.limits.concurrency }, work));
    return answers;
  }

  async #readOwn({ sensorId, channelId }: ComparedObject): Promise<Answer> {
    const { monitor, mapper, server, signal } = this.#run;
    const { objects } = monitor.api;
    try {
      if (channelId === undefined) {
        const sensor = await objects.sensor(sensorId, signal);
        return { own: sensor && factsOfSensor(sensor) };
      }
      const channel = await objects.channel(sensorId, channelId, signal);
      const sensor = monitor.view.state.tree.nodes.get(sensorId);
      return { own: channel && sensor && factsOfChannel(channel, { mapper, server: server.name, sensor }) };
    } catch (error) {
      signal.throwIfAborted();
      if (isOutOfReach(error)) throw error;
      return { error };
    }
  }
}

function* objectsOf({ view }: Pick<MonitoredServer, "view">): Iterable<ComparedObject> {
  for (const { id, kind } of view.state.tree.nodes.values()) {
    if (kind === "sensor") yield { sensorId: id, channelId: undefined };
  }
  for (const [sensor, { channelId }] of view.channels()) yield { sensorId: sensor.id, channelId };
}

function countFailure(comparison: Comparison, error: unknown): void {
  comparison.notRead++;
  comparison.failure ??= describeFault(error);
}

function countVerdict(comparison: Comparison, object: ComparedObject, verdict: ReturnType<typeof judge>): void {
  if (verdict.kind === "changed") comparison.changed++;
  if (verdict.kind === "differs") comparison.differing.push({ object, differences: verdict.differences });
  if (verdict.kind !== "agrees") return;
  comparison.agreed++;
  const { withheld } = verdict;
  if (withheld !== undefined) comparison.withheld.set(withheld, (comparison.withheld.get(withheld) ?? 0) + 1);
}

/** Numbers from 0 to below 1, the same for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** So many different items, each with the same chance. All of them if there are fewer. */
export function sampleOf<Item>(items: Iterable<Item>, count: number, random: () => number): readonly Item[] {
  const rest = [...items];
  const chosen = Math.min(count, rest.length);
  for (let at = 0; at < chosen; at++) {
    const other = at + Math.floor(random() * (rest.length - at));
    [rest[at], rest[other]] = [rest[other] as Item, rest[at] as Item];
  }
  return rest.slice(0, chosen);
}
