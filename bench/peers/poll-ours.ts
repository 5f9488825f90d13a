/** Client, tree, mapping and store, without a page. `poll` returns the channels collector's time. */
import { pino } from "pino";
import { wantedSections } from "../../src/app/mapping.ts";
import { ServerFailureLogs } from "../../src/collectors/failure-log.ts";
import { Phase } from "../../src/collectors/phases.ts";
import { PollHistory } from "../../src/collectors/polled-server.ts";
import { RunRecords } from "../../src/collectors/run-record.ts";
import { createExpiryPolicy, ServerCollectors } from "../../src/collectors/server-collectors.ts";
import { ServerConnection } from "../../src/collectors/server-connection.ts";
import { StateWriter } from "../../src/collectors/state-writer.ts";
import { createTimetables } from "../../src/collectors/timetable.ts";
import { Redactor } from "../../src/errors/redactor.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { ExtraWork } from "../../src/lib/extra-work.ts";
import { MemoryBudget } from "../../src/lib/memory-budget.ts";
import { plainMapper } from "../../src/mapping/channel-mapper.ts";
import { ServerView } from "../../src/projection/server-view.ts";
import { createApiClient } from "../../src/prtg/client.ts";
import { Store } from "../../src/store/store.ts";
import { ExporterMetrics } from "../../src/telemetry/exporter-metrics.ts";
import { type CollectorRecorder, type FinishedRun, serverRecorder } from "../../src/telemetry/recorders.ts";
import { serveCommands } from "../processes/answer.ts";
import { API_KEY } from "../processes/simulator.ts";
import { Stopwatch } from "../processes/stopwatch.ts";

const [url = ""] = process.argv.slice(2);
const log = pino({ level: "silent" });
const mapper = plainMapper();
const sections = wantedSections({ nodeSensors: [], dependencyInfo: false });
const random = () => 0.5;
const stopwatch = new Stopwatch();
// Self-metrics are not measured.
const metrics = serverRecorder(new ExporterMetrics({ version: "bench", revision: "" }, () => []), "bench");

const connection = new ServerConnection({
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
    observer: metrics,
  }),
  clock: systemClock,
  log,
  isOneOfMany: () => false,
});
const view = new ServerView({
  server: "hq",
  store: new Store(mapper.storeFamilies()),
  shape: { mapper, channelInfo: false, sections, options: new Set(), sensorStatus: "current" },
  staleAfterMs: undefined,
});
const rarely = { kind: "interval", everyMs: 86_400_000 } as const;
const timetables = createTimetables({ tree: rarely, channels: rarely }, { clock: systemClock, log }, 0);
const writer = new StateWriter({
  ...{ view, metrics, clock: systemClock, api: connection.api },
  expiry: createExpiryPolicy(systemClock, timetables),
});
// Channels begin when the tree ends.
const collectorMetrics = (name: string): CollectorRecorder =>
  Object.assign(metrics.collector(name), {
    finished: ({ success }: FinishedRun) => {
      if (!success) throw new Error(`the collector ${name} failed`);
      if (name === "tree") stopwatch.start();
      else stopwatch.stop();
    },
  });
const failures = new ServerFailureLogs(log, systemClock);
const collectors = new ServerCollectors({
  ...{ connection, writer, timetables, metrics, sections, log, clock: systemClock, series: undefined },
  phase: new Phase(0, random),
  turnToStart: async () => undefined,
  history: new PollHistory(log, failures),
  records: new RunRecords({ clock: systemClock, log, failures, metrics: collectorMetrics }),
  memory: new MemoryBudget(),
  extras: new ExtraWork(systemClock),
  pageUpToDate: async () => undefined,
});

serveCommands({
  poll: async () => {
    await collectors.runOnce(AbortSignal.timeout(600_000));
    return stopwatch.reading;
  },
});
