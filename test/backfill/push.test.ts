import { cpSync, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { pino } from "pino";
import { describe, expect, test } from "vitest";
import { TREE_FAMILIES } from "../../src/mapping/metric-table.ts";
import { SCOPE } from "../otlp/support/otlp-exporter.ts";
import { isProbe, type SeenRequest, startReceiver } from "../otlp/support/otlp-http-receiver.ts";
import { runs } from "../support/runs.ts";
import { HistoryServer } from "./history-server.ts";
import { pointsOf, push, SENSORS, seriesOf, timeOf } from "./pushing.ts";
import { emptyFolder, filesOf, run, samplesOf, TickingClock } from "./running.ts";

/** Same history as files, in `pointsOf` spelling. */
async function pointsOfFiles(): Promise<string[]> {
  const output = emptyFolder();
  await run({ api: new HistoryServer({ sensors: SENSORS }), output }, { from: "3d", to: "4h" });
  return [...filesOf(output).values()]
    .flatMap((text) => samplesOf(text))
    .map(({ labels, time, value }) => {
      const [, sensor, channel] = /sensor_id="(.*?)",channel_id="(.*?)"/.exec(labels) ?? [];
      return `${sensor}.${channel} ${Math.floor(time * 1_000)} ${value}`;
    });
}

let whole: Promise<readonly string[]> | undefined;

/** All points, from one push for all tests. */
function uninterrupted(): Promise<readonly string[]> {
  whole ??= pushWhole();
  return whole;
}

async function pushWhole(): Promise<readonly string[]> {
  const receiver = await startReceiver();
  await push({ receiver });
  expect(receiver.requests.length).toBe(14);
  const points = receiver.requests.flatMap(pointsOf).sort();
  expect(duplicatesOf(points)).toEqual([]);
  return points;
}

function duplicatesOf(points: readonly string[]): string[] {
  const seen = new Set<string>();
  return points.filter((point) => seen.size === seen.add(point).size);
}

describe("history as a push", () => {
  test("has each value of the files once, in order of time", async () => {
    const receiver = await startReceiver();
    const outcome = await push({ receiver, from: "3d", maxPoints: 500 });
    const points = receiver.requests.flatMap(pointsOf);
    expect(points.length).toBeGreaterThan(4_000);
    expect(points.toSorted()).toEqual((await pointsOfFiles()).sort());
    expect(points.map(timeOf)).toEqual(points.map(timeOf).sort((a, b) => a - b));
    expect(outcome).toMatchObject({
      kind: "finished",
      run: { sensors: 4, series: 8, samples: points.length, files: [], push: { rejected: 0 } },
    });
  });

  test.each([0, 2, 3])(
    "announces as many values as it pushes, after an interruption with %d sensors read",
    async (read) => {
      const receiver = await startReceiver();
      const state = emptyFolder();
      const interrupted = new AbortController();
      const announced: [total: number, done: number][] = [];
      const progress = {
        begin: (what: string, total: number, done: number) => void (what === "values" && announced.push([total, done])),
        advance: (done: number) => done === read && interrupted.abort(new Error("stopped by SIGINT")),
        end: () => undefined,
      };
      if (read > 0) {
        await push({ receiver, state, progress, signal: interrupted.signal });
        expect(receiver.points).toEqual([]);
      }
      await push({ receiver, state, progress });
      expect(announced).toEqual([[receiver.points.length, 0]]);
    },
  );

  test("has names, labels and resource of the push of serve", async () => {
    const receiver = await startReceiver();
    await push({ receiver });
    const [batch] = receiver.requests[0]?.batches ?? [];
    expect(batch).toMatchObject({ scope: SCOPE, resource: { "service.name": "prtg-exporter" } });
    expect(batch?.metrics.map(({ name, type, unit }) => ({ name, type, unit }))).toEqual([
      { name: "prtg.channel_value", type: "gauge", unit: "" },
    ]);
    const [point] = batch?.metrics[0]?.points ?? [];
    expect(Object.keys(point?.attributes ?? {}).sort()).toEqual([...TREE_FAMILIES.channelValue.labels].sort());
    expect(point?.attributes).toMatchObject({ server: "hq", sensor_id: "9", path: 'Probe/Berlin/a "device"/Ping 9' });
  });

  test("keeps all channels of one time in one request", async () => {
    const receiver = await startReceiver();
    await push({ receiver, maxPoints: 500, section: { protocol: "http/json", maxRequestBytes: 20_000 } });
    const requestsOf = new Map<string, Set<SeenRequest>>();
    for (const request of receiver.requests) {
      expect(request.body.length).toBeLessThanOrEqual(20_000);
      for (const point of pointsOf(request)) {
        const row = `${seriesOf(point).split(".")[0]} ${timeOf(point)}`;
        requestsOf.set(row, (requestsOf.get(row) ?? new Set()).add(request));
      }
    }
    expect([...requestsOf.values()].every(({ size }) => size === 1)).toBe(true);
  });

  test("leaves only a record of the pushed ranges, which later runs respect", async () => {
    const receiver = await startReceiver();
    const state = emptyFolder();
    await push({ receiver, state, paths: ["**/Ping 9"] });
    expect(readdirSync(join(state, "push"))).toEqual([".lock", "journal.json"]);
    const pushed = receiver.requests.length;
    await expect(push({ receiver, state })).rejects.toThrow(
      /^the history of 1 of these sensors, such as 9 from .* to .* was already pushed, at /,
    );
    expect(receiver.requests.length).toBe(pushed);
    expect(await push({ receiver, state, paths: ["**/Ping 10"] })).toMatchObject({ kind: "finished" });
    expect(await push({ receiver, state, from: "8h", to: "6h" })).toMatchObject({ kind: "finished" });
    expect(duplicatesOf(receiver.requests.flatMap(pointsOf))).toEqual([]);
  });

  test.each([
    { to: "4h", warnings: [] },
    { to: "3h30m", warnings: [expect.stringMatching("--to is less than 4h ago: serve also pushes these hours")] },
  ])("warns of data that serve also pushes: --to $to", async ({ to, warnings }) => {
    const receiver = await startReceiver();
    const lines: string[] = [];
    const log = pino({ level: "warn" }, { write: (line) => void lines.push(JSON.parse(line).msg) });
    await push({ receiver, log, to });
    expect(lines).toEqual(warnings);
  });

  test("reports an empty result and permits another run", async () => {
    const receiver = await startReceiver();
    const state = emptyFolder();
    const api = new HistoryServer({ sensors: SENSORS });
    api.series.clear();
    for (const id of SENSORS) {
      for (const type of ["live", "short", "medium", "long"]) {
        api.series.set(`${id}/${type}`, { rows: [], gaps: [], skipped: 0 });
      }
    }
    expect(await push({ receiver, state, api })).toMatchObject({ kind: "finished", run: { samples: 0 } });
    expect(receiver.requests).toEqual([]);
    expect(await push({ receiver, state })).toMatchObject({ kind: "finished" });
  });
});

describe("push that continues", () => {
  test("sends each value once after any number of signals", async () => {
    const whole = await uninterrupted();
    const points = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(points, async (interruptions) => {
        const state = emptyFolder();
        let left = Number.POSITIVE_INFINITY;
        let controller = new AbortController();
        const event = (): void => {
          if (--left === 0) controller.abort(new Error("stopped by SIGINT"));
        };
        const receiver = await startReceiver(() => {
          event();
          return undefined;
        });
        const attempt = () => {
          const api = new HistoryServer({ sensors: SENSORS });
          api.asks = event;
          return push({ receiver, state, api, signal: controller.signal });
        };
        for (const point of interruptions) {
          left = point;
          controller = new AbortController();
          const outcome = await attempt();
          if (outcome.kind === "finished") break;
        }
        left = Number.POSITIVE_INFINITY;
        controller = new AbortController();
        if (existsSync(join(state, "push", "unfinished"))) await attempt();
        expect(receiver.requests.flatMap(pointsOf).sort()).toEqual(whole);
      }),
      { numRuns: runs(60) },
    );
  });

  test("repeats at most the current requests after a kill, with the same values", async () => {
    const whole = await uninterrupted();
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 13 }), async (killedAt) => {
        const [state, atKill] = [emptyFolder(), emptyFolder()];
        // Disk state before the answer.
        const first = await startReceiver((request) => {
          if (request === killedAt) cpSync(state, atKill, { recursive: true });
          return undefined;
        });
        await push({ receiver: first, state });
        const second = await startReceiver();
        await push({ receiver: second, state: atKill });
        const arrived = [...first.requests.slice(0, killedAt + 1), ...second.requests].flatMap(pointsOf);
        expect([...new Set(arrived)].sort()).toEqual(whole);
        const underWay = first.requests.slice(killedAt, killedAt + 1).flatMap(pointsOf);
        expect(duplicatesOf(arrived).sort()).toEqual(underWay.sort());
      }),
      { numRuns: runs(40) },
    );
  });

  test("reports its progress", async () => {
    const controller = new AbortController();
    const receiver = await startReceiver((request) => {
      if (request === 2) controller.abort(new Error("stopped by SIGINT"));
      return undefined;
    });
    const state = emptyFolder();
    const outcome = await push({ receiver, state, signal: controller.signal });
    const done = receiver.requests.flatMap(pointsOf).length;
    expect(outcome).toMatchObject({ kind: "interrupted", done: 4, sensors: 4, pushed: { done } });
    await expect(push({ receiver, state, from: "7h" })).rejects.toThrow(
      "has an unfinished backfill with other parameters: --from was 6h and is 7h",
    );
    const begun: [string, number, number][] = [];
    const note = (what: string, total: number, before: number) => void begun.push([what, total, before]);
    const progress = { begin: note, advance: () => undefined, end: () => undefined };
    expect(await push({ receiver, state, progress })).toMatchObject({ kind: "finished" });
    expect(begun).toEqual([["values", receiver.requests.flatMap(pointsOf).length, done]]);
  });
});

describe("receiver that does not accept data", () => {
  test("gets a retry after its requested delay", async () => {
    const receiver = await startReceiver((request) =>
      request === 1 ? { status: 503, headers: { "retry-after": "70" } } : request === 2 ? { status: 502 } : undefined,
    );
    const clock = new TickingClock();
    await push({ receiver, clock });
    // 0 to 1 s of jitter. The 502 is retried at once.
    expect(clock.slept).toEqual([70_500]);
    expect(receiver.points.length).toBe((await uninterrupted()).length);
  });

  test.each([
    ["30 % of the requests", (request: number) => (request * 7) % 10 < 3],
    ["one of three requests", (request: number) => request % 3 === 1],
  ])("gets all values once if it refuses %s", async (_, refuses) => {
    const receiver = await startReceiver((request) => (refuses(request) ? { status: 503 } : undefined));
    const clock = new TickingClock();
    expect(await push({ receiver, clock })).toMatchObject({ run: { push: { rejected: 0 } } });
    const points = receiver.points.map(
      ({ attributes, time }) => `${attributes.sensor_id}.${attributes.channel_id} ${time}`,
    );
    expect(new Set(points).size).toBe((await uninterrupted()).length);
    expect(points).toHaveLength(new Set(points).size);
    expect(clock.elapsed).toBeLessThan(5_000);
  });

  test("ends the run after 15 minutes, and the run can continue", async () => {
    let isDown = false;
    const receiver = await startReceiver((request) => {
      isDown ||= request === 3;
      return isDown ? { status: 503 } : undefined;
    });
    const state = emptyFolder();
    const clock = new TickingClock();
    await expect(push({ receiver, state, clock })).rejects.toThrow("the receiver accepts nothing: HTTP 503");
    expect(clock.elapsed).toBeGreaterThan(15 * 60_000);
    expect(clock.elapsed).toBeLessThan(20 * 60_000);
    isDown = false;
    const later = await startReceiver();
    await push({ receiver: later, state });
    expect([...receiver.points, ...later.points].length).toBe((await uninterrupted()).length);
  });

  test("ends the run sooner without a first answer", async () => {
    const receiver = await startReceiver(() => ({ status: 404 }));
    const clock = new TickingClock();
    await expect(push({ receiver, clock })).rejects.toMatchObject({ code: "BACKFILL_RECEIVER_AWAY" });
    expect(clock.elapsed).toBeLessThan(90_000);
  });

  test("counts permanently rejected values with their reason, without a retry", async () => {
    const partial = { partialSuccess: { rejectedDataPoints: "7", errorMessage: "too old" } };
    const receiver = await startReceiver((request) => {
      if (request !== 3) return undefined;
      return { headers: { "content-type": "application/json" }, body: JSON.stringify(partial) };
    });
    const outcome = await push({ receiver });
    const refused = 7;
    const total = (await uninterrupted()).length;
    expect(outcome).toMatchObject({
      run: { samples: total - refused, push: { rejected: refused, message: "too old" } },
    });
    expect(duplicatesOf(receiver.requests.flatMap(pointsOf))).toEqual([]);
  });

  test.each([
    { more: {}, atMost: 100 },
    { more: { maxPoints: 500 }, atMost: 200 },
  ])("ends the run if it rejects everything but probes, and gets all data later", async ({ more, atMost }) => {
    const state = emptyFolder();
    const answer = { status: 400, headers: { "content-type": "text/plain" }, body: "too old sample" };
    const receiver = await startReceiver((_, seen) => (isProbe(seen) ? undefined : answer));
    await expect(push({ receiver, state, section: { compression: "none" }, ...more })).rejects.toThrow(
      /rejects history: HTTP 400.*too old sample/,
    );
    expect(receiver.requests.length).toBeLessThan(atMost);
    const mended = await startReceiver();
    const outcome = await push({ receiver: mended, state, ...more });
    expect(outcome).toMatchObject({ run: { samples: mended.points.length, push: { rejected: 0 } } });
  });
});
