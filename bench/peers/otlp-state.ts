/** The metric reader pushes the store's current state. */

import { pino } from "pino";
import { Registry } from "prom-client";
import { systemClock } from "../../src/lib/clock.ts";
import { TREE_FAMILIES } from "../../src/mapping/metric-table.ts";
import { startStatePush } from "../../src/otlp/state-push.ts";
import { Store } from "../../src/store/store.ts";
import { serveCommands } from "../processes/answer.ts";
import { Stopwatch } from "../processes/stopwatch.ts";
import { arrived, exporter, observer, placement, resource, scope } from "./otlp-connection.ts";
import { FAMILY, labelValuesOf, POINTS, pointValue } from "./otlp-points.ts";

const store = new Store(Object.values(TREE_FAMILIES));
await store.commit(() => {
  const table = store.table(FAMILY);
  for (let index = 0; index < POINTS; index++) table.set(table.add(labelValuesOf(index)), pointValue(index));
});
const push = startStatePush({
  ...{ exporter, store, registry: new Registry(), countingSince: Date.now(), measured: new Set<string>() },
  ends: { endOf: () => undefined, holds: () => false },
  ...{ sensorStatus: "current", clock: systemClock, log: pino({ level: "silent" }) },
  ...{ resource, scope, observer, placement },
  intervalMs: 86_400_000,
  timeoutMs: 600_000,
});
const stopwatch = new Stopwatch();

serveCommands({
  push: async () => {
    arrived.points = 0;
    const reading = await stopwatch.time(() => push.flush());
    if (arrived.points < POINTS) throw new Error(`${arrived.points} of ${POINTS} points were delivered`);
    return reading;
  },
});
