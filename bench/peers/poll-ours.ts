/**
 * Our side of the poll bench: the client, the tree, mapping and the store, put together as the exporter does but without
 * a page to render. Told to `poll`, it answers with what the channels collector alone took.
 */
import { pino } from "pino";
import { createServerMonitor } from "../../src/collectors/server-monitor.ts";
import { Redactor } from "../../src/errors/redactor.ts";
import { formatLabels } from "../../src/exposition/text-format.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { plainMapper } from "../../src/mapping/channel-mapper.ts";
import { createApiClient } from "../../src/prtg/client.ts";
import { Store } from "../../src/store/store.ts";
import { answerCommands } from "../processes/answer.ts";
import { API_KEY } from "../processes/simulator.ts";
import { Stopwatch } from "../processes/stopwatch.ts";
import { UNSHOWN_RECORDER } from "./silent-metrics.ts";

const [url = ""] = process.argv.slice(2);
const log = pino({ level: "silent" });
const mapper = plainMapper();
const random = () => 0.5;
const stopwatch = new Stopwatch();

const monitor = createServerMonitor({
  server: "hq",
  api: createApiClient({
    ...{ name: "hq", url, userAgent: "bench", clock: systemClock, random, log, redactor: new Redactor() },
    auth: { kind: "api_key", key: async () => API_KEY },
    limits: {
      ...{ concurrency: 4, requestsPerSecond: Number.POSITIVE_INFINITY },
      ...{
        timeoutMs: 60_000,
        totalTimeoutMs: 120_000,
        listTimeoutMs: 3_600_000,
        maxResponseBytes: 64 << 20,
        maxObjects: 1e6,
        maxTextSize: 64e6,
        maxTextLength: 1_024,
      },
    },
    observer: UNSHOWN_RECORDER,
  }),
  store: new Store(mapper.storeFamilies(), (family, values) => formatLabels(family.labels, values)),
  mapper,
  metrics: {
    ...UNSHOWN_RECORDER,
    // The collectors of one poll run one after the other: where the tree ends the channels begin.
    collector: (name) => ({
      ...UNSHOWN_RECORDER.collector(name),
      finished: ({ success }) => {
        if (!success) throw new Error(`the collector ${name} failed`);
        if (name === "tree") stopwatch.start();
        else stopwatch.stop();
      },
    }),
  },
  ...{ clock: systemClock, random, log },
  schedules: { tree: { kind: "interval", everyMs: 86_400_000 }, channels: { kind: "interval", everyMs: 86_400_000 } },
  sensorStatus: "current",
  nodeSensors: [],
});

answerCommands({
  poll: async () => {
    await monitor.pollOnce(AbortSignal.timeout(600_000));
    return stopwatch.reading;
  },
});
console.log("ready");
// Nothing else keeps the process from ending.
setInterval(() => undefined, 60_000);
