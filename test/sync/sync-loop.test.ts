import { describe, expect, test } from "vitest";
import { ExporterError } from "../../src/errors/exporter-error.ts";
import { Redactor } from "../../src/errors/redactor.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { ApiError } from "../../src/prtg/api-error.ts";
import { AuditLog } from "../../src/sync/audit-log.ts";
import { syncRecorder } from "../../src/telemetry/recorders.ts";
import { emptyMetrics } from "../support/exporter-metrics.ts";
import { matcher, SPAN_MS, SyncRun } from "./support/sync-run.ts";

const MINUTE = 60_000;
/** More than the operations of a round. */
const KILLS = Array.from({ length: 24 }, (_, at) => ({ after: at >> 1, isApplied: at % 2 === 1 }));

describe.each(KILLS)("a kill after $after operations (applied: $isApplied)", (fault) => {
  test("does not turn an acknowledgement of sync into a silence", async () => {
    const run = new SyncRun();
    run.world.setFailing("1", true);
    run.world.silenceByPerson([matcher("sensor_id", "1")], 60);
    run.world.failAfter({ kind: "kill", ...fault });
    await run.rounds(1);
    const [silence] = run.world.foreign;
    run.goAway(2);
    run.world.endSilence(silence?.id ?? "");
    await run.rounds(20);
    expect({ wrongs: run.world.wrongs, own: run.world.own }).toEqual({ wrongs: [], own: [] });
  });

  test("makes one silence for an acknowledgement of a person", async () => {
    const run = new SyncRun();
    run.world.setFailing("1", true);
    run.world.acknowledgeByPerson("1", 60);
    run.world.failAfter({ kind: "kill", ...fault });
    await run.rounds(4);
    expect({ wrongs: run.world.wrongs, own: run.world.own }).toEqual({ wrongs: [], own: ["acknowledged hq/1"] });
  });
});

test("acknowledges again at the end of a span, before the alert is back", async () => {
  const run = new SyncRun();
  const { world } = run;
  world.setFailing("1", true);
  world.silenceByPerson([matcher("sensor_id", "1")], 60);
  await run.rounds(1);
  // As in Prometheus, where an alert waits for some minutes.
  world.alertsAfterMs = 10 * MINUTE;
  const acknowledged: number[] = [];
  for (let at = 0; at < 2 * (SPAN_MS / 30_000); at++) {
    await run.rounds(1);
    const sensor = world.sensors.get("1");
    if (sensor !== undefined && world.statusOf(sensor) === "acknowledged") acknowledged.push(at);
  }
  expect(acknowledged.length).toBe(2 * (SPAN_MS / 30_000));
});

test("a silence that could cover too many sensors changes nothing, and the log says why once", async () => {
  const run = new SyncRun();
  for (const id of run.world.sensors.keys()) run.world.setFailing(id, true);
  run.world.silenceByPerson([matcher("server", "hq")], 60);
  await run.rounds(5);
  expect(run.audit).toEqual([]);
  expect(run.log).toEqual([
    "the silence of ann could cover more than 4 sensors (sync.max_sensors): nothing is changed for it",
  ]);
});

test("makes at most so many changes a minute, also across restarts", async () => {
  const run = new SyncRun({ changesPerMinute: 1 });
  for (const id of ["0", "1", "2"]) {
    run.world.setFailing(id, true);
    run.world.silenceByPerson([matcher("sensor_id", id)], 60);
  }
  const counts: number[] = [];
  for (let round = 0; round < 6; round++) {
    await run.rounds(1);
    run.goAway(0);
    counts.push(run.audit.filter((line) => JSON.parse(line).result === "done").length);
  }
  // Two rounds a minute.
  expect(counts).toEqual([1, 1, 2, 2, 3, 3]);
});

test("an acknowledgement that always fails holds up no others, also at the limit", async () => {
  const run: SyncRun = new SyncRun({
    changesPerMinute: 2,
    acknowledge: async (server, id, how) => {
      if (id < "2") throw new Error("the user has no right");
      return run.world.acknowledge(server, id, how);
    },
  });
  for (const id of ["0", "1", "2", "3"]) {
    run.world.setFailing(id, true);
    run.world.silenceByPerson([matcher("sensor_id", id)], 60);
  }
  await run.rounds(6);
  const statuses = [...run.world.sensors.values()].map((sensor) => run.world.statusOf(sensor));
  expect(statuses.slice(0, 4)).toEqual(["down", "down", "acknowledged", "acknowledged"]);
});

test("an acknowledgement that PRTG always refuses holds up no others at the limit", async () => {
  const acknowledged: string[] = [];
  const run = new SyncRun({
    changesPerMinute: 1,
    acknowledge: async (_, id) => {
      acknowledged.push(id);
      return id === "0" ? "wrong status" : "done";
    },
  });
  for (const id of ["0", "1"]) {
    run.world.setFailing(id, true);
    run.world.silenceByPerson([matcher("sensor_id", id)], 60);
  }
  await run.rounds(4);
  expect(acknowledged).toEqual(["0", "1"]);
});

describe("a slow server", () => {
  test("does not turn the end of an acknowledgement into a silence", async () => {
    const run: SyncRun = new SyncRun({
      acknowledge: (server, id, how) => {
        run.world.now += 5 * MINUTE;
        return run.world.acknowledge(server, id, how);
      },
    });
    run.world.setFailing("1", true);
    run.world.silenceByPerson([matcher("sensor_id", "1")], 60);
    await run.rounds(1);
    run.world.endSilence(run.world.foreign[0]?.id ?? "");
    await run.rounds(SPAN_MS / 30_000);
    expect({ wrongs: run.world.wrongs, own: run.world.own }).toEqual({ wrongs: [], own: [] });
  });

  test("gets no second request because of statuses from before its answer", async () => {
    let requests = 0;
    const run: SyncRun = new SyncRun({
      acknowledge: async (server, id, how) => {
        requests++;
        run.world.now += 10_000;
        run.world.poll();
        run.world.now += 10_000;
        const result = await run.world.acknowledge(server, id, how);
        run.world.isPrtgDown = true;
        return result;
      },
    });
    run.world.setFailing("1", true);
    run.world.silenceByPerson([matcher("sensor_id", "1")], 60);
    await run.rounds(2);
    expect(requests).toBe(1);
  });

  test("that executes a request after its deadline makes no silence", async () => {
    let requests = 0;
    const run: SyncRun = new SyncRun({
      acknowledge: async (server, id, how) => {
        if (++requests === 1) throw new Error("no answer");
        await run.world.acknowledge(server, id, how);
        return "wrong status";
      },
    });
    run.world.setFailing("1", true);
    run.world.silenceByPerson([matcher("sensor_id", "1")], 60);
    await run.rounds(2);
    run.world.endSilence(run.world.foreign[0]?.id ?? "");
    await run.rounds(10);
    expect({ requests, wrongs: run.world.wrongs, own: run.world.own }).toEqual({ requests: 2, wrongs: [], own: [] });
  });
});

describe.each(["the loss of the Lease", "a stop signal"])("%s in the middle of a round", (what) => {
  test("ends it after the current change, and the next process continues", async () => {
    const stop = new AbortController();
    let isLeading = true;
    const run: SyncRun = new SyncRun({
      isLeading: () => isLeading,
      acknowledge: (server, id, how) => {
        if (what === "a stop signal") stop.abort();
        else isLeading = run.audit.length > 1;
        return run.world.acknowledge(server, id, how);
      },
    });
    for (const id of ["0", "1", "2"]) {
      run.world.setFailing(id, true);
      run.world.silenceByPerson([matcher("sensor_id", id)], 60);
    }
    await run.rounds(1, stop.signal);
    expect(run.audit.map((line) => JSON.parse(line).result)).toEqual(["planned", "done"]);
    run.goAway(0);
    isLeading = true;
    await run.rounds(3);
    expect(run.audit.filter((line) => JSON.parse(line).result === "done").length).toBe(3);
    expect(run.world.wrongs).toEqual([]);
  });
});

test("does not claim an acknowledgement that it never sent, because the memory could not be written", async () => {
  const run = new SyncRun();
  run.world.setFailing("1", true);
  run.world.silenceByPerson([matcher("sensor_id", "1")], 60);
  // After both lists of Alertmanager.
  run.world.failAfter({ kind: "lost", after: 2, isApplied: false });
  await run.rounds(1);
  expect(run.audit).toEqual([]);
  run.world.acknowledgeByPerson("1", 60);
  run.world.endSilence(run.world.foreign[0]?.id ?? "");
  await run.rounds(1);
  expect(run.world.own).toEqual(["acknowledged hq/1"]);
});

test("acknowledges again after its clock was set back by a day", async () => {
  let aheadMs = 24 * 60 * MINUTE;
  const now = () => run.world.now + aheadMs;
  const run: SyncRun = new SyncRun({ clock: { ...systemClock, now } });
  run.world.setFailing("1", true);
  run.world.silenceByPerson([matcher("sensor_id", "1")], 48 * 60);
  await run.rounds(1);
  aheadMs = 0;
  run.world.setFailing("1", false);
  run.world.setFailing("1", true);
  await run.rounds(2);
  expect([...run.world.sensors.values()].map((sensor) => run.world.statusOf(sensor))).toContain("acknowledged");
});

test("a refused acknowledgement does not hide one of a user", async () => {
  const run = new SyncRun({
    acknowledge: async () => {
      throw new ApiError("API_FORBIDDEN", "no right", { httpStatus: 403, endpoint: "/sensors/{id}/acknowledge" });
    },
  });
  run.world.setFailing("1", true);
  run.world.silenceByPerson([matcher("sensor_id", "1")], 60);
  await run.rounds(1);
  expect(run.remembers("1")).toBe(false);
  run.world.acknowledgeByPerson("1", 60);
  run.world.endSilence(run.world.foreign[0]?.id ?? "");
  await run.rounds(1);
  expect(run.world.own).toEqual(["acknowledged hq/1"]);
});

describe("a round begins", () => {
  /** Polls of PRTG end at these times, seconds after the start. */
  const roundsWith = async (polls: readonly number[], seconds: number) => {
    const stop = new AbortController();
    const rounds: number[] = [];
    let now = 0;
    const clock = {
      ...{ now: () => run.world.now + now, monotonic: () => now, after: () => () => undefined },
      sleep: async (ms: number) => {
        now += ms;
        if (now >= seconds * 1_000) stop.abort();
      },
    };
    const run: SyncRun = new SyncRun({
      clock,
      servers: () => {
        const statusAt = polls.findLast((at) => at * 1_000 <= now);
        const [[name, side] = ["", undefined]] = [...run.world.servers()];
        return statusAt === undefined || side === undefined ? new Map() : new Map([[name, { ...side, statusAt }]]);
      },
      observer: { ...syncRecorder(emptyMetrics()), waiting: () => void rounds.push(now / 1_000) },
    });
    await run.run(stop.signal);
    return rounds;
  };

  test.each([
    ["when PRTG was read again", [0, 31, 60], 70, [0, 31, 60]],
    ["after half an interval more if a server is late", [0, 100], 110, [0, 45, 90, 100]],
    ["at the first reading", [7], 20, [0, 7]],
  ])("%s", async (_, polls, seconds, expected) => {
    expect(await roundsWith(polls, seconds)).toEqual(expected);
  });
});

describe("metrics", () => {
  test("count a change as done if only the audit log fails after it", async () => {
    const results: string[] = [];
    const lines: string[] = [];
    const output = {
      write: async ([line = ""]: readonly string[]) =>
        lines.push(line) === 1 ? { written: 1 } : { written: 0, fault: new Error("no space left") },
    };
    const run = new SyncRun({
      audit: new AuditLog(output, { now: () => 0 }, "a", new Redactor()),
      observer: { ...syncRecorder(emptyMetrics()), changed: (_, result) => void results.push(result) },
    });
    run.world.setFailing("1", true);
    run.world.silenceByPerson([matcher("sensor_id", "1")], 60);
    await run.rounds(2);
    expect({ results, lines: lines.length }).toEqual({ results: ["done"], lines: 2 });
  });

  test("show no success while one of the servers cannot be read", async () => {
    let successes = 0;
    const observer = { ...syncRecorder(emptyMetrics()), roundEnded: () => void successes++ };
    const run = new SyncRun({ observer, names: ["hq", "branch"] });
    await run.rounds(3);
    expect(successes).toBe(0);
  });

  test("show no success while no server can be read", async () => {
    let successes = 0;
    const run = new SyncRun({ observer: { ...syncRecorder(emptyMetrics()), roundEnded: () => void successes++ } });
    await run.rounds(1);
    run.world.isPrtgDown = true;
    await run.rounds(20);
    // The last statuses count for three minutes.
    expect(successes).toBe(7);
  });
});

test("the audit log has each change before and after it, with its reason", async () => {
  const run = new SyncRun();
  run.world.setFailing("1", true);
  run.world.silenceByPerson([matcher("sensor_id", "1")], 60);
  await run.rounds(1);
  expect(run.audit.map((line) => JSON.parse(line))).toEqual(
    ["planned", "done"].map((result) => ({
      ...{ time: "2026-01-15T12:00:30.000Z", change: "a-1", result, kind: "acknowledge", server: "hq", sensorId: "1" },
      ...{ path: "site/100/1", seconds: 1_200, message: "ann: maintenance (silence silence-1)", silence: "silence-1" },
      labels: { server: "hq", sensor_id: "1", device_id: "100" },
    })),
  );
});

test("the audit log has the id of a created silence, once it exists", async () => {
  const run = new SyncRun();
  run.world.setFailing("1", true);
  run.world.acknowledgeByPerson("1", 60);
  await run.rounds(1);
  const [planned = {}, done = {}] = run.audit.map((line) => JSON.parse(line));
  expect({ result: planned.result, id: planned.id }).toEqual({ result: "planned" });
  expect({ result: done.result, id: done.id }).toEqual({ result: "done", id: "silence-1" });
});

test("the log says what failed, what follows, and then what to do", async () => {
  const run = new SyncRun({
    acknowledge: () => Promise.reject(new ExporterError("API_FORBIDDEN", "no right", { remedy: "Give it." })),
  });
  run.world.setFailing("1", true);
  run.world.silenceByPerson([matcher("sensor_id", "1")], 60);
  await run.rounds(1);
  expect(run.log).toEqual(["no right [API_FORBIDDEN]: the next round tries again. Give it."]);
  expect(JSON.parse(run.audit.at(-1) ?? "").result).toBe("no right [API_FORBIDDEN]");
});

test("a follower reads and changes nothing", async () => {
  const run = new SyncRun({ isLeading: () => false });
  run.world.isAlertmanagerDown = true;
  run.world.setFailing("1", true);
  await run.rounds(3);
  expect({ audit: run.audit, log: run.log }).toEqual({ audit: [], log: [] });
});
