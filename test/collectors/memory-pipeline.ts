import { pino } from "pino";
import { wantedOptions, wantedSections } from "../../src/app/mapping.ts";
import type { PipelinePlan } from "../../src/app/pipeline-plan.ts";
import { connectParts, openServer, type ServerParts, ServerPipeline } from "../../src/app/server-pipeline.ts";
import { COLLECTORS, type CollectorName } from "../../src/collectors/collector.ts";
import { Phase } from "../../src/collectors/phases.ts";
import type { ServerCollectors } from "../../src/collectors/server-collectors.ts";
import type { StateWriter } from "../../src/collectors/state-writer.ts";
import type { Schedules } from "../../src/collectors/timetable.ts";
import { formatLabels } from "../../src/exposition/text-format.ts";
import type { Clock } from "../../src/lib/clock.ts";
import type { Extras } from "../../src/lib/extra-work.ts";
import { MemoryBudget } from "../../src/lib/memory-budget.ts";
import { plainMapper } from "../../src/mapping/channel-mapper.ts";
import type { MetricFamily } from "../../src/mapping/families/family.ts";
import { TREE_FAMILIES } from "../../src/mapping/metric-table.ts";
import type { MeasurementProgress } from "../../src/measurements/measurement-engine.ts";
import type { ChannelChoice } from "../../src/projection/inspection.ts";
import type { ServerView } from "../../src/projection/server-view.ts";
import type { Shape } from "../../src/projection/shape.ts";
import { Store } from "../../src/store/store.ts";
import { ExporterMetrics } from "../../src/telemetry/exporter-metrics.ts";
import { FREE_EXTRAS } from "../support/free-extras.ts";
import { ManualClock } from "../support/manual-clock.ts";
import type { MemoryServer } from "./memory-server.ts";

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;

const SCHEDULES: Readonly<Record<CollectorName, number>> = {
  health: 15 * SECOND,
  tree: 5 * MINUTE,
  status: 30 * SECOND,
  channels: MINUTE,
  limits: 15 * MINUTE,
  details: 15 * MINUTE,
  timeseries: MINUTE,
};

const scheduled = (names: readonly CollectorName[]) =>
  Object.fromEntries(names.map((name) => [name, { kind: "interval", everyMs: SCHEDULES[name] }] as const));

const NAMES = COLLECTORS.map(({ name }) => name);
/** The default configuration. */
export const SCHEDULED = scheduled(NAMES.filter((name) => name !== "details"));
export const SCHEDULED_WITH_DETAILS = scheduled(NAMES);

interface Series {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface LogLine {
  readonly level: number;
  readonly msg: string;
  readonly [field: string]: unknown;
}

interface MemoryPipelineOptions extends Partial<Omit<Shape, "options" | "sections">> {
  readonly dependencyInfo?: boolean;
  readonly sensorDownDelay?: boolean;
  readonly locationInfo?: boolean;
  readonly nodeSensors?: readonly ("device" | "group" | "probe")[];
  readonly staleAfterMs?: number | undefined;
  /** Its name. */
  readonly server?: string;
  readonly store?: Store;
  readonly clock?: Clock;
  /** Characters of all texts; labels may repeat each four times. */
  readonly maxTextSize?: number;
  readonly schedules?: Schedules;
  /** Reads time series, one request a minute. */
  readonly progress?: MeasurementProgress;
  readonly memory?: MemoryBudget;
  readonly extras?: Extras;
  readonly turnToStart?: () => Promise<void>;
  readonly pageUpToDate?: () => Promise<void>;
  readonly isOneOfMany?: boolean;
}

export interface MemoryPipeline {
  readonly server: MemoryServer;
  readonly monitor: Monitor;
  readonly clock: ManualClock;
  readonly store: Store;
  readonly log: LogLine[];
  /** Fails on a duplicate series. */
  series(family: MetricFamily): Series[];
  /** Value of the only series with these labels. */
  value(family: MetricFamily, labels?: Readonly<Record<string, string>>): number | undefined;
  /** A metric of the exporter itself. */
  own(name: string, labels?: Readonly<Record<string, string>>): Promise<number | undefined>;
}

/** The pipeline of one server, without events. A test can replace it over the same state. */
class Monitor {
  readonly view: ServerView;
  #pipeline: ServerPipeline;
  readonly #parts: ServerParts;

  constructor(plan: PipelinePlan, parts: ServerParts, progress?: MeasurementProgress) {
    this.view = parts.view;
    this.#parts = parts;
    this.#pipeline = new ServerPipeline(plan, connectParts(plan.server, parts), parts, { progress });
  }

  get collectors(): ServerCollectors {
    return this.#pipeline.collectors;
  }

  get writer(): StateWriter {
    return this.#pipeline.writer;
  }

  /** Resolves after the first run of every collector. */
  start(): Promise<boolean> {
    return this.#pipeline.start();
  }

  stop(): Promise<void> {
    return this.#pipeline.stop(0);
  }

  /** Starts another pipeline with the same plan. */
  async replace(): Promise<void> {
    const { plan, connection } = this.#pipeline;
    const past = await this.#pipeline.handOver(plan, 0);
    this.#pipeline = new ServerPipeline(plan, connection, this.#parts, past);
    void this.start();
  }

  pollOnce(aborted: AbortSignal): Promise<boolean> {
    return this.collectors.runOnce(aborted);
  }

  status() {
    return { up: this.collectors.up, collectors: this.collectors.status() };
  }

  inspect(sensorId: string, choice: ChannelChoice) {
    return this.view.inspect(sensorId, choice, this.#parts.clock.monotonic());
  }

  node(id: string) {
    return this.view.state.tree.nodes.get(id);
  }
}

/** A server in memory, the pipeline of the exporter, a store and a stopped clock. Nothing has run. */
export function memoryPipeline(server: MemoryServer, more: MemoryPipelineOptions = {}): MemoryPipeline {
  const { sensorStatus = "current", dependencyInfo = false, nodeSensors = ["probe", "group"] } = more;
  const { mapper = plainMapper(), channelInfo = !mapper.labels.isWide } = more;
  const manual = new ManualClock();
  const { clock = manual, server: name = "hq", memory: objects = new MemoryBudget(), isOneOfMany = false } = more;
  const { store = new Store(Object.values(TREE_FAMILIES)), staleAfterMs, maxTextSize } = more;
  const exporter = new ExporterMetrics({ version: "0", revision: "0" }, () => []);
  const lines: LogLine[] = [];
  const log = pino({ level: "debug" }, { write: (line) => void lines.push(JSON.parse(line)) });
  const { sensorDownDelay = false, locationInfo = true } = more;
  const asked = { nodeSensors: [...nodeSensors], dependencyInfo, sensorDownDelay, locationInfo };
  const sections = wantedSections(asked);
  const shape = { mapper, sections, options: wantedOptions(asked), sensorStatus, channelInfo, staleAfterMs };
  const plan: PipelinePlan = {
    // The fake needs no address.
    server: { name, limits: { maxTextSize } } as PipelinePlan["server"],
    schedules: more.schedules ?? SCHEDULED,
    sections,
    measurements: more.progress && { mode: "auto", limits: { requests: 1, periodMs: MINUTE } },
    push: undefined,
    stateDir: undefined,
  };
  const parts = openServer(plan.server, shape, {
    store,
    exporterMetrics: exporter,
    memory: { objects, pending: objects },
    extras: more.extras ?? FREE_EXTRAS,
    phase: new Phase(0, () => 0),
    turnToStart: more.turnToStart ?? (async () => undefined),
    pageUpToDate: more.pageUpToDate ?? (async () => undefined),
    isOneOfMany: () => isOneOfMany,
    connect: () => server,
    clock,
    random: () => 0,
    log,
  });
  const monitor = new Monitor(plan, parts, more.progress);

  function series(family: MetricFamily): Series[] {
    store.expire(manual.monotonic());
    const table = store.table(family);
    const found: Series[] = [];
    const seen = new Set<string>();
    for (let slot = 0; slot < table.slots; slot++) {
      if (!table.isPresent(slot)) continue;
      const values = table.labels(slot);
      const text = formatLabels(family.labels, values);
      if (seen.has(text)) throw new Error(`series twice: ${family.name}${text}`);
      seen.add(text);
      const labels = Object.fromEntries(family.labels.map((name, index) => [name, values[index] ?? ""]));
      found.push({ labels, value: table.value(slot) });
    }
    return found;
  }

  return {
    server,
    monitor,
    clock: manual,
    store,
    log: lines,
    series,
    value(family, labels = {}) {
      const found = series(family).filter((each) => fits(each.labels, labels));
      if (found.length > 1) throw new Error(`${found.length} series of ${family.name} fit`);
      return found[0]?.value;
    },
    async own(name, labels = {}) {
      const metric = (await exporter.registry.getMetricsAsJSON()).find((each) => each.name === name);
      return metric?.values.find((each) => fits(each.labels, labels))?.value;
    },
  };
}

function fits(
  labels: Readonly<Record<string, string | number | undefined>>,
  wanted: Readonly<Record<string, string>>,
): boolean {
  return Object.entries(wanted).every(([name, value]) => labels[name] === value);
}
