import { pino } from "pino";
import { expect, test } from "vitest";
import type { CollectorName } from "../../src/collectors/collector.ts";
import { ServerFailureLogs } from "../../src/collectors/failure-log.ts";
import { RunRecords } from "../../src/collectors/run-record.ts";
import { ExporterMetrics } from "../../src/telemetry/exporter-metrics.ts";
import { serverRecorder } from "../../src/telemetry/recorders.ts";
import { ManualClock } from "../support/manual-clock.ts";

function records() {
  const metrics = serverRecorder(new ExporterMetrics({ version: "1", revision: "" }, () => []), "hq");
  const clock = new ManualClock();
  const log = pino({ level: "silent" });
  const all = new RunRecords({
    ...{ clock, log, failures: new ServerFailureLogs(log, clock) },
    metrics: (name) => metrics.collector(name),
  });
  const run = (name: CollectorName, complete = true) => {
    all.open(name).start();
    all.open(name).finish({ complete }, 1);
  };
  return { all, run, tree: all.open("tree"), channels: all.open("channels") };
}

test("only a complete later run proves that objects are known", () => {
  const { all, run, tree } = records();
  run("tree");
  expect(tree.isUpToDate).toBe(true);
  all.awaitNew("tree");
  expect(tree).toMatchObject({ isUpToDate: false, complete: undefined, mustRunAtStart: true });
  tree.start();
  tree.finish({ complete: false, error: new Error("down") }, 1);
  run("tree", false);
  expect(tree).toMatchObject({ isUpToDate: false, isIncomplete: true });
  run("tree");
  expect(tree).toMatchObject({ isUpToDate: true, isIncomplete: false });
  run("tree", false);
  expect(tree.isUpToDate).toBe(true);
});

test("the record waits three runs for an incomplete list", () => {
  const { all, run, tree } = records();
  all.awaitNew("tree");
  const upToDate = [1, 2, 3].map(() => {
    run("tree", false);
    return tree.isUpToDate;
  });
  expect(upToDate).toEqual([false, false, true]);
});

test("a run that starts with the tree poll counts", () => {
  const { all, run, tree, channels } = records();
  all.awaitNew("tree");
  all.awaitNew("channels", "tree");
  channels.start();
  run("tree");
  channels.finish({ complete: true }, 1);
  expect(channels).toMatchObject({ isUpToDate: false, lacksBasis: true, complete: false });
  tree.start();
  tree.finish({ complete: false, error: new Error("down") }, 1);
  run("channels");
  expect(channels).toMatchObject({ isUpToDate: true, lacksBasis: false });
});

test("the record does not wait for a disabled collector", () => {
  const { all, run, channels } = records();
  all.awaitNew("tree");
  all.awaitNew("channels", "tree");
  all.retain((name) => name === "channels");
  run("channels");
  expect(channels.isUpToDate).toBe(true);
});
