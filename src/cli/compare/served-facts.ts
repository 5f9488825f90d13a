import type { Exporter } from "../../app/exporter.ts";
import type { MonitoredServer } from "../../app/monitored-server.ts";
import { negotiateFormat } from "../../exposition/negotiate.ts";
import { formatLabels } from "../../exposition/text-format.ts";
import type { ChannelMapper } from "../../mapping/channel-mapper.ts";
import type { MetricFamily } from "../../mapping/families/family.ts";
import { SENSOR_LABELS } from "../../mapping/families/labels.ts";
import type { ChannelInspection, SensorInspection } from "../../projection/inspection.ts";
import { STATUS_TOKENS } from "../../prtg/status.ts";
import { type ComparedObject, channelFacts, type ObjectFacts, sensorFacts } from "./verdict.ts";

export interface ServedSources {
  readonly exporter: Pick<Exporter, "exposition">;
  readonly monitor: Pick<MonitoredServer, "view">;
  readonly mapper: ChannelMapper;
}

/** Values of the page by series: `prtg_sensor_status_code{server="hq",...}`. */
type PageValues = Map<string, string | undefined>;

/** Values are withheld in these states. */
const WITHHELD: ReadonlySet<ChannelInspection["state"]> = new Set(["paused", "stale", "dropped"]);

/** What the metrics page has about the objects. Objects that the exporter does not know are missing. */
export async function readServed(
  { exporter, monitor, mapper }: ServedSources,
  objects: readonly ComparedObject[],
  now: number,
): Promise<ReadonlyMap<ComparedObject, ObjectFacts>> {
  const values: PageValues = new Map();
  const readers = objects.flatMap((object) => {
    const read = readerOf(object, { monitor, mapper, values, now });
    return read === undefined ? [] : [{ object, read }];
  });
  await exporter.exposition.refresh();
  collect(await exporter.exposition.page(negotiateFormat({}), "identity"), values);
  return new Map(readers.map(({ object, read }) => [object, read()]));
}

interface ReaderOptions extends Omit<ServedSources, "exporter"> {
  /** Gets the wanted series, without their values. */
  readonly values: PageValues;
  readonly now: number;
}

function readerOf({ sensorId, channelId }: ComparedObject, options: ReaderOptions): (() => ObjectFacts) | undefined {
  const { view } = options.monitor;
  const choice = channelId === undefined ? ({ from: 0, count: 0 } as const) : { channelId };
  const inspection = view.inspect(sensorId, choice, options.now);
  if (inspection === undefined) return undefined;
  if (channelId === undefined) return sensorReader(inspection, options);
  const [channel] = inspection.channels;
  return channel && channelReader(sensorId, channel, options);
}

function sensorReader({ server, sensor }: SensorInspection, { mapper, values }: ReaderOptions): () => ObjectFacts {
  const { families } = mapper.labels;
  const labels = mapper.labels.values(SENSOR_LABELS)(server, { node: sensor });
  const code = wanted(values, families.sensorStatusCode, labels);
  const since = wanted(values, families.sensorStatusSince, labels);
  return () => sensorFacts(STATUS_TOKENS[code() ?? Number.NaN], times1000(since()));
}

function channelReader(
  sensorId: string,
  { channelId, unit, measuredAt, state }: ChannelInspection,
  { monitor, values }: ReaderOptions,
): () => ObjectFacts {
  const series = (monitor.view.seriesOf(sensorId, channelId) ?? []).map(({ family, labels }) => {
    const key = keyOf(family, labels);
    values.set(key, undefined);
    return { metric: family.name, key };
  });
  return () => ({
    ...channelFacts(
      unit,
      measuredAt,
      series.map(({ metric, key }) => ({ kind: "value", metric, text: values.get(key) })),
    ),
    withheld: WITHHELD.has(state) ? state : undefined,
  });
}

function wanted(values: PageValues, family: MetricFamily, labels: readonly string[]): () => number | undefined {
  const key = keyOf(family, labels);
  values.set(key, undefined);
  return () => {
    const text = values.get(key);
    return text === undefined ? undefined : Number(text);
  };
}

function times1000(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : Math.round(seconds * 1_000);
}

function keyOf({ name, labels: names }: MetricFamily, labels: readonly string[]): string {
  return `${name}${formatLabels(names, labels)}`;
}

/** Line by line: a large page does not fit into one string. */
function collect(page: readonly Buffer[], values: PageValues): void {
  let rest = "";
  const decoder = new TextDecoder();
  for (const buffer of page) {
    const lines = (rest + decoder.decode(buffer, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const end = line.lastIndexOf(" ");
      const key = line.slice(0, end);
      if (values.has(key)) values.set(key, line.slice(end + 1));
    }
  }
}
