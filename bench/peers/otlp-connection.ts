import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { Redactor } from "../../src/errors/redactor.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { connectOtlp } from "../../src/otlp/connect.ts";
import { METRIC_ENCODINGS } from "../../src/otlp/encoding.ts";
import type { RowPlacement } from "../../src/otlp/measurement-sink.ts";
import { OtelPlacement, OtelProfile } from "../../src/otlp/otel-placement.ts";
import { type DeviceFacts, type DeviceLookup, otlpResource } from "../../src/otlp/resources.ts";
import { SCHEMA_URL } from "../../src/otlp/semantic-conventions.ts";
import { otlpSettings } from "../../src/otlp/settings.ts";
import { ExporterMetrics } from "../../src/telemetry/exporter-metrics.ts";
import { type OtlpRecorder, otlpRecorder } from "../../src/telemetry/recorders.ts";
import { CHANNELS_PER_SENSOR } from "../processes/simulator.ts";
import { IS_OTEL, labelValuesOf, POINTS, RECEIVER } from "./otlp-points.ts";

const { settings } = otlpSettings(
  { OTEL_EXPORTER_OTLP_ENDPOINT: RECEIVER },
  { compression: "none", maxBytesPerSecond: 0 },
);
if (settings === undefined) throw new Error("there is no receiver");

export const exporter = await connectOtlp(settings, METRIC_ENCODINGS, {
  userAgent: "bench",
  clock: systemClock,
  readFile: (path) => readFile(path, "utf8"),
  redactor: new Redactor(),
});

export const resource = otlpResource({}, { version: "bench", instanceId: randomUUID() });
export const scope = { name: "prtg-exporter", ...(IS_OTEL && { schemaUrl: SCHEMA_URL }) };

/** Reset by the bench. */
export const arrived = { points: 0 };

export const observer: OtlpRecorder = Object.assign(
  otlpRecorder(new ExporterMetrics({ version: "bench", revision: "" }, () => [])),
  {
    delivered: (_stream: string, points: number) => {
      arrived.points += points;
    },
  },
);

/** With `otlp.profile: otel`: ten sensors per device. */
const owners: DeviceFacts[] = [];
const bySensor = new Map<string, DeviceFacts>();
const byName = new Map<string, DeviceFacts>();
for (let index = 0; index < POINTS; index += CHANNELS_PER_SENSOR) {
  const [, sensorId = "", , probe = "", group = "", name = ""] = labelValuesOf(index);
  const facts = byName.get(name) ?? { id: `${byName.size}`, name, host: name, probe, group, path: `${probe}/${name}` };
  byName.set(name, facts);
  bySensor.set(sensorId, facts);
  owners.push(facts);
}
const lookup: DeviceLookup = { ofSensor: (_, sensorId) => bySensor.get(sensorId), device: () => undefined };

/** Undefined: all points have one resource. */
export const placement = IS_OTEL ? new OtelPlacement(new OtelProfile(resource), lookup) : undefined;

/** For rows, by number. */
export const rowPlacement: RowPlacement | undefined = placement && {
  place: placement.place.bind(placement),
  deviceOf: (sensor) => owners[Number(sensor)]?.id,
};
