/** Our side of the OTLP bench: the current state of the store, as the metric reader pushes it. */
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { pino } from "pino";
import { Registry } from "prom-client";
import { systemClock } from "../../src/clock.ts";
import { Redactor } from "../../src/errors/redactor.ts";
import { formatLabels } from "../../src/exposition/text.ts";
import { TREE_FAMILIES } from "../../src/mapping/metric-table.ts";
import { connectOtlp } from "../../src/otlp/connect.ts";
import { otlpResource } from "../../src/otlp/resource.ts";
import { otlpSettings } from "../../src/otlp/settings.ts";
import { startStatePush } from "../../src/otlp/state-push.ts";
import { Store } from "../../src/store/store.ts";
import { answerCommands } from "../processes/answer.ts";
import { Stopwatch } from "../processes/stopwatch.ts";
import { labelValuesOf, POINTS, pointValue, RECEIVER } from "./otlp-points.ts";
import { FAMILY } from "./series.ts";

const { settings } = otlpSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: RECEIVER }, undefined);
if (settings === undefined) throw new Error("there is no receiver");
const exporter = await connectOtlp(settings, {
  userAgent: "bench",
  clock: systemClock,
  readFile: (path) => readFile(path, "utf8"),
  redactor: new Redactor(),
});
const store = new Store(Object.values(TREE_FAMILIES), (family, values) => formatLabels(family.labels, values));
await store.commit(() => {
  const table = store.table(FAMILY);
  for (let index = 0; index < POINTS; index++) table.set(table.add(labelValuesOf(index)), pointValue(index));
});
let delivered = 0;
const push = startStatePush({
  ...{ exporter, store, registry: new Registry(), countingSince: Date.now(), measured: new Set<string>() },
  ...{ sensorStatus: "current", clock: systemClock, log: pino({ level: "silent" }) },
  resource: otlpResource({}, { version: "bench", instanceId: randomUUID() }),
  scope: { name: "prtg-exporter" },
  intervalMs: 86_400_000,
  timeoutMs: 600_000,
  observer: {
    delivered: (_stream, points) => {
      delivered += points;
    },
    rejected: () => undefined,
    requestRefused: () => undefined,
    attemptFailed: () => undefined,
    skipped: () => undefined,
  },
});
const stopwatch = new Stopwatch();

answerCommands({
  push: async () => {
    delivered = 0;
    const reading = await stopwatch.time(() => push.flush());
    if (delivered < POINTS) throw new Error(`${delivered} of ${POINTS} points were delivered`);
    return reading;
  },
});
console.log("ready");
// Nothing else keeps the process from ending.
setInterval(() => undefined, 60_000);
