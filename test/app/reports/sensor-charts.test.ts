import { expect, test } from "vitest";
import { chartOf, SensorCharts } from "../../../src/app/reports/sensor-charts.ts";
import { EMPTY_TREE, type TreeNode } from "../../../src/model/tree.ts";
import type { TimeSeries } from "../../../src/prtg/records.ts";
import type { SeriesType } from "../../../src/prtg/series-types.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { never } from "../../support/never-aborted.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

class AnyNodes extends Map<string, TreeNode> {
  override get(id: string): TreeNode {
    return { id, kind: id.startsWith("device") ? "device" : "sensor" } as TreeNode;
  }
}

/** Answers on command. */
function slowServer(offset = 0) {
  const asked: {
    id: string;
    signal: AbortSignal;
    answer: (series: TimeSeries) => void;
    fail: (error: Error) => void;
  }[] = [];
  const monitor = {
    view: { state: { tree: { ...EMPTY_TREE, nodes: new AnyNodes() } } },
    api: {
      clockOffset: () => offset,
      timeSeries: (id: string, _type: SeriesType, signal: AbortSignal) => {
        const { promise, resolve, reject } = Promise.withResolvers<TimeSeries>();
        asked.push({ id, signal, answer: resolve, fail: reject });
        return promise;
      },
    },
  };
  return { asked, monitor };
}

function charts(offset?: number) {
  const clock = new ManualClock();
  const { asked, monitor } = slowServer(offset);
  const subject = new SensorCharts(clock, () => new Map(["hq", "dc"].map((name) => [name, monitor])));
  const reader = () => new AbortController();
  // The request runs some microtasks later.
  const turn = () => clock.advance(0);
  return { clock, asked, subject, turn, ask: (id: string, gone = reader().signal) => subject.read("hq", id, gone) };
}

const seriesAt = (...rows: TimeSeries["rows"]): TimeSeries => ({ rows, gaps: [], skipped: 0 });

test("readers share one request and its answer for a minute", async () => {
  const { clock, asked, ask, subject, turn } = charts();
  const readers = [ask("1"), ask("1"), subject.read(undefined, "1", never)];
  await turn();
  expect(asked).toHaveLength(1);
  asked[0]?.answer(seriesAt({ at: clock.now() - MINUTE, values: [["0", 5]] }));
  for (const outcome of await Promise.all(readers)) {
    if (outcome?.kind !== "drawn") throw new Error(outcome?.kind);
    expect(outcome.chart.channels.get("0")).toEqual([{ at: clock.now() - MINUTE, low: 5, high: 5 }]);
  }
  await clock.advance(59_000);
  expect(await ask("1")).toMatchObject({ kind: "drawn", ageSeconds: 59 });
  expect(asked).toHaveLength(1);
  await clock.advance(1_000);
  const again = ask("1");
  await turn();
  expect(asked).toHaveLength(2);
  asked[1]?.answer(seriesAt());
  expect(await again).toMatchObject({ kind: "drawn", ageSeconds: 0 });
});

test("each sensor has its own answer, and other objects cause no request", async () => {
  const { asked, ask, subject, turn } = charts();
  void ask("1");
  void ask("2");
  await turn();
  expect(asked.map(({ id }) => id)).toEqual(["1", "2"]);
  expect(await ask("device 1")).toBeUndefined();
  expect(await subject.read("elsewhere", "1", never)).toBeUndefined();
  expect(asked).toHaveLength(2);
});

test("a page waits at most ten seconds, and the next one gets the late answer", async () => {
  const { clock, asked, ask } = charts();
  const first = ask("1");
  await clock.advance(10_000);
  expect(await first).toEqual({ kind: "waiting" });
  expect(asked[0]?.signal.aborted).toBe(false);
  const second = ask("1");
  asked[0]?.answer(seriesAt());
  expect(await second).toMatchObject({ kind: "drawn", ageSeconds: 10 });
  expect(asked).toHaveLength(1);
});

test("a reader that leaves ends only its own wait", async () => {
  const { asked, ask, turn } = charts();
  const leaving = new AbortController();
  const [left, stays] = [ask("1", leaving.signal), ask("1")];
  await turn();
  leaving.abort(new Error("gone"));
  await expect(left).rejects.toThrow("gone");
  expect(asked[0]?.signal.aborted).toBe(false);
  asked[0]?.answer(seriesAt());
  expect(await stays).toMatchObject({ kind: "drawn" });
});

test("all readers within a minute get the same failure without another request", async () => {
  const { asked, ask, turn } = charts();
  const first = ask("1");
  await turn();
  asked[0]?.fail(new Error("no such sensor"));
  expect(await first).toEqual({ kind: "failed", reason: "no such sensor" });
  expect(await ask("1")).toEqual({ kind: "failed", reason: "no such sensor" });
  expect(asked).toHaveLength(1);
});

test("a request ends after a minute", async () => {
  const { clock, asked, ask } = charts();
  const first = ask("1");
  await clock.advance(MINUTE);
  await first;
  expect(asked[0]?.signal.aborted).toBe(true);
});

test("the exporter asks a server at most ten times a minute", async () => {
  const { clock, asked, ask, turn } = charts();
  for (let id = 0; id < 10; id++) {
    void ask(String(id));
    await clock.advance(1_000);
    if (id < 9) asked[id]?.answer(seriesAt());
  }
  expect(await ask("10")).toEqual({ kind: "too_many", retryAfterSeconds: 50 });
  expect(asked).toHaveLength(10);
  // Keeps the latest.
  asked[9]?.answer(seriesAt());
  expect(await ask("9")).toMatchObject({ kind: "drawn" });
  await clock.advance(50_000);
  void ask("10");
  await turn();
  expect(asked).toHaveLength(11);
});

test("drops the oldest of more than ten charts", async () => {
  const { asked, subject, turn } = charts();
  const read = async (server: string, id: string) => {
    const reading = subject.read(server, id, never);
    await turn();
    asked.at(-1)?.answer(seriesAt());
    return reading;
  };
  for (let id = 0; id < 10; id++) await read("hq", String(id));
  await read("dc", "10");
  expect(asked).toHaveLength(11);
  expect(await read("hq", "1")).toMatchObject({ kind: "drawn" });
  // One more request than a server gets in a minute.
  expect(await read("hq", "0")).toMatchObject({ kind: "too_many" });
});

test("eight readers wait at a time, and others get only cached answers", async () => {
  const { clock, asked, ask, turn } = charts();
  const ready = ask("ready");
  await turn();
  asked[0]?.answer(seriesAt());
  await ready;
  const readers = Array.from({ length: 60 }, (_, reader) => ask(String(reader % 9)));
  await turn();
  const outcomes = Promise.all(readers);
  expect(await ask("1")).toEqual({ kind: "busy", retryAfterSeconds: 10 });
  expect(await ask("ready")).toMatchObject({ kind: "drawn" });
  await clock.advance(10_000);
  const kinds = (await outcomes).map((outcome) => outcome?.kind);
  expect(kinds.filter((kind) => kind === "waiting")).toHaveLength(8);
  expect(kinds.filter((kind) => kind === "busy")).toHaveLength(52);
  void ask("1");
  await turn();
  expect(await ask("ready")).toMatchObject({ kind: "drawn" });
});

test("a reader that leaves frees its place", async () => {
  const { ask, turn } = charts();
  const leaving = new AbortController();
  const readers = Array.from({ length: 8 }, () => ask("1", leaving.signal));
  await turn();
  expect(await ask("1")).toMatchObject({ kind: "busy" });
  leaving.abort(new Error("gone"));
  await Promise.allSettled(readers);
  const next = Promise.race([ask("1"), turn().then(() => "waits")]);
  expect(await next).toBe("waits");
});

test("a silent server has at most two requests for charts, and its polls continue", async () => {
  const { clock, asked, ask } = charts();
  for (const id of ["1", "2", "3"]) void ask(id);
  await clock.advance(MINUTE - 1);
  expect(asked.map(({ id }) => id)).toEqual(["1", "2"]);
  asked[0]?.answer(seriesAt());
  await clock.advance(0);
  expect(asked.map(({ id }) => id)).toEqual(["1", "2", "3"]);
});

test("the window ends now on the server's clock", async () => {
  const { clock, asked, ask, turn } = charts(2 * HOUR);
  const first = ask("1");
  await turn();
  const until = clock.now() + 2 * HOUR;
  asked[0]?.answer(seriesAt({ at: until - 5 * HOUR, values: [["0", 1]] }, { at: until, values: [["0", 2]] }));
  expect(await first).toMatchObject({
    chart: { from: until - 4 * HOUR, to: until, channels: new Map([["0", [{ at: until, low: 2, high: 2 }]]]) },
  });
});

test("each minute keeps its lowest and highest value at any interval", () => {
  const until = 10 * HOUR;
  const from = until - 4 * HOUR;
  const rows = Array.from({ length: 14_400 }, (_, second) => ({
    at: from + second * 1_000,
    values: [["0", second % 60 === 30 ? 99 : second % 60]] as const,
  }));
  const parts = chartOf(seriesAt(...rows), until).channels.get("0");
  expect(parts).toHaveLength(240);
  expect(parts?.every(({ low, high }) => low === 0 && high === 99)).toBe(true);
});

test("the chart keeps the first channels if a page has too many", () => {
  const values = Array.from({ length: 300 }, (_, id) => [String(id), id] as const);
  expect(chartOf(seriesAt({ at: 1, values }, { at: 2, values }), 2).channels.size).toBe(200);
});
