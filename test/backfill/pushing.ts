import { join } from "node:path";
import { pino } from "pino";
import type { BackfillOutcome } from "../../src/backfill/backfill.ts";
import type { BackfillOptions } from "../../src/backfill/begin-run.ts";
import { OtlpMeasurementSink } from "../../src/otlp/measurement-sink.ts";
import { Receivers } from "../../src/otlp/receivers.ts";
import type { OtlpSection } from "../../src/otlp/settings.ts";
import { RESOURCE, recordedObserver, SCOPE, testExporter } from "../otlp/support/otlp-exporter.ts";
import type { Receiver, SeenRequest } from "../otlp/support/otlp-http-receiver.ts";
import { HistoryServer } from "./history-server.ts";
import { emptyFolder, run, TickingClock, type Wanted } from "./running.ts";

export const SENSORS = ["9", "10", "101", "55"];

interface Push extends Wanted, Partial<Omit<BackfillOptions, keyof Wanted | "push">> {
  readonly receiver: Pick<Receiver, "url">;
  readonly state?: string;
  readonly section?: OtlpSection;
  readonly maxPoints?: number;
}

/** Default: two hours of four sensors, fourteen requests. */
export async function push({
  receiver,
  state = emptyFolder(),
  section,
  maxPoints = 14,
  ...more
}: Push): Promise<BackfillOutcome> {
  const { from = "6h", to = "4h", resolution, paths, kinds, tags, configured, ...options } = more;
  const { clock = new TickingClock() } = options;
  const receivers = new Receivers(clock);
  const exporter = await testExporter({ endpoint: receiver.url, maxBytesPerSecond: 0, ...section }, { receivers });
  const wanted = { from, to, ...(resolution && { resolution }), ...(paths && { paths }), ...(kinds && { kinds }) };
  return run(
    {
      api: new HistoryServer({ sensors: SENSORS }),
      output: join(state, "push"),
      clock,
      log: pino({ level: "silent" }),
      ...options,
      push: {
        url: receiver.url,
        maxPoints,
        random: () => 0.5,
        connect: ({ describe }) =>
          new OtlpMeasurementSink({
            ...{ exporter, resource: RESOURCE, scope: SCOPE },
            observer: recordedObserver(),
            describe,
          }),
      },
    },
    { ...wanted, ...(tags && { tags }), ...(configured && { configured }) },
  );
}

/** `sensor.channel time value`. */
export function pointsOf(request: SeenRequest): string[] {
  return request.batches.flatMap(({ metrics }) =>
    metrics.flatMap(({ points }) =>
      points.map(({ attributes, time, value }) => {
        const channel = `${attributes.sensor_id}.${attributes.channel_id}`;
        return `${channel} ${time / 1_000_000n} ${value}`;
      }),
    ),
  );
}

export function seriesOf(point: string): string {
  return point.slice(0, point.indexOf(" "));
}

export function timeOf(point: string): number {
  return Number(point.split(" ")[1]);
}
