import { expect, test } from "vitest";
import type { EventSink } from "../../src/events/event.ts";
import { EventMemory } from "../../src/events/event-memory.ts";
import type { StatusToken } from "../../src/prtg/status.ts";
import { EXPORTER_METRICS } from "../../src/telemetry/metric-declarations.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { never } from "../support/never-aborted.ts";
import { emptyDisk, filesOn, receiver, startEventRun } from "./support/event-run.ts";
import { wholePoll } from "./support/monitored-site.ts";

/** Sensors 50, 51, ... */
async function running(maxEvents = 1_000) {
  const clock = new ManualClock();
  const disk = emptyDisk();
  const target = receiver();
  const bounds = { maxEvents, maxSize: 1 << 20 };
  const process = await startEventRun(clock, disk, target, bounds);
  /** Code that yields to the event loop has no sleeper. */
  const pass = async (ms = 1_000) => {
    for (let part = 0; part < 20; part++) await clock.advance(ms / 20);
  };
  return {
    ...{ clock, disk, target, process, pass, bounds },
    poll: async (...statuses: readonly StatusToken[]) => {
      const sensors = statuses.map((status, index) => ({ id: `${50 + index}`, status, statusSince: clock.now() }));
      await process.poll(wholePoll(sensors));
      await pass();
    },
    count: async (metric: keyof typeof EXPORTER_METRICS.events, label = "") =>
      (await process.metrics.samples(EXPORTER_METRICS.events[metric]))
        .filter(({ labels }) => label === "" || Object.values(labels).includes(label))
        .reduce((sum, { value }) => sum + value, 0),
    stop: async (graceMs: number) => {
      let isOver = false;
      void process.events.stop(graceMs).then(() => {
        isOver = true;
      });
      const began = clock.now();
      while (!isOver) await clock.advance(100);
      return clock.now() - began;
    },
  };
}

const bodies = ({ got }: ReturnType<typeof receiver>) => got.map(({ body }) => body);

test("events wait during an outage of the receiver, keep their order and appear in metrics", async () => {
  const { poll, target, pass, count } = await running();
  await poll("up", "up");
  target.answer = "retry";
  await poll("down", "up");
  await poll("down", "warning");
  expect([await count("pending", "otlp"), await count("told"), await count("delivered", "otlp")]).toEqual([2, 2, 0]);
  expect(await count("deliveryFailed", "otlp")).toBeGreaterThan(0);
  target.answer = "accepted";
  await pass(120_000);
  expect(bodies(target)).toEqual(["Ping 50 on Router is down", "Ping 51 on Router is warning"]);
  expect([await count("pending"), await count("delivered", "otlp"), await count("dropped")]).toEqual([0, 2, 0]);
});

test("the journal has an event before an output, and its delivery before the next batch", async () => {
  const { poll, process, disk } = await running();
  const journal = () => [...disk.files.values()].join("");
  const seen: boolean[] = [];
  const sink: EventSink = {
    send: async (batch) => {
      seen.push(batch.every(({ uid }) => journal().includes(uid)) && journal().includes(`"otlp":${seen.length}}`));
      return { kind: "accepted", rejected: 0, message: "" };
    },
  };
  await process.events.deliverTo(new Map([["otlp", sink]]));
  await poll("up");
  for (const status of ["down", "up", "warning"] as const) await poll(status);
  expect(seen).toEqual([true, true, true]);
});

test("a counter reports permanently rejected events, and others continue", async () => {
  const { poll, target, count, process } = await running();
  await poll("up");
  target.answer = "rejected";
  await poll("down");
  target.answer = "accepted";
  await poll("up");
  expect([bodies(target), await count("dropped", "rejected")]).toEqual([["Ping 50 on Router is up"], 1]);
  expect(process.lines.map(({ msg }) => msg)).toContain("the output rejected events permanently: no");
});

test("a large number of changes arrives poll by poll if the receiver accepts them", async () => {
  const { poll, target, count } = await running(3);
  const all = (status: StatusToken) => Array.from({ length: 10 }, () => status);
  await poll(...all("up"));
  for (let more = 0; more < 5; more++) await poll(...all("down"));
  expect(new Set(bodies(target)).size).toBe(10);
  expect([target.got.length, await count("dropped")]).toEqual([10, 0]);
});

test("during an outage without room, a counter reports superseded changes and the last status arrives", async () => {
  const { poll, target, pass, count } = await running(1);
  await poll("up", "up");
  target.answer = "retry";
  await poll("down", "up");
  await poll("down", "down");
  await poll("down", "warning");
  await poll("down", "unusual");
  expect(await count("dropped", "merged")).toBe(2);
  target.answer = "accepted";
  await pass(120_000);
  await poll("down", "unusual");
  expect(bodies(target)).toEqual(["Ping 50 on Router is down", "Ping 51 on Router is unusual"]);
  expect(target.got[1]?.attributes["prtg.status.old"]).toBe("up");
});

test("a failing journal stops nothing and causes one log line", async () => {
  const { poll, target, disk, process, count } = await running();
  await poll("up");
  disk.isFull = true;
  await poll("down");
  await poll("up");
  expect(bodies(target)).toEqual(["Ping 50 on Router is down", "Ping 50 on Router is up"]);
  expect(await count("memoryFailed")).toBeGreaterThan(2);
  disk.isFull = false;
  await poll("up");
  expect(process.lines.map(({ level, msg }) => `${level} ${msg.replace(/:.*/, "")}`)).toEqual([
    "40 the event journal cannot be written",
    "30 the event journal can be written again",
  ]);
});

test("a new receiver continues from the old one, and a new output gets later events", async () => {
  const { poll, target, pass, process, count } = await running();
  await poll("up");
  await poll("down");
  target.answer = "retry";
  await poll("warning");
  const [other, file] = [receiver(), receiver()];
  const otlp = process.sinkTo(other);
  let changed = process.events.deliverTo(new Map([["otlp", otlp]]), 100);
  await pass();
  await changed;
  await poll("warning");
  expect([bodies(target), bodies(other)]).toEqual([["Ping 50 on Router is down"], ["Ping 50 on Router is warning"]]);
  changed = process.events.deliverTo(
    new Map([
      ["otlp", otlp],
      ["file", process.sinkTo(file)],
    ]),
    100,
  );
  await pass();
  await changed;
  await poll("up");
  expect([bodies(other).length, bodies(file)]).toEqual([2, ["Ping 50 on Router is up"]]);
  other.answer = "retry";
  await poll("down");
  expect([await count("pending", "otlp"), await count("pending", "file")]).toEqual([1, 0]);
  changed = process.events.deliverTo(new Map([["file", process.sinkTo(file)]]), 100);
  await pass();
  await changed;
  expect(await count("pending", "otlp")).toBe(0);
});

test("the end delivers waiting events without waiting for a failing receiver", async () => {
  const well = await running();
  await well.poll("up");
  await well.process.poll(wholePoll([{ id: "50", status: "down" }]));
  await well.stop(5_000);
  expect(bodies(well.target)).toEqual(["Ping 50 on Router is down"]);

  const out = await running();
  await out.poll("up");
  out.target.answer = "retry";
  await out.poll("down");
  expect(await out.stop(5_000)).toBeLessThanOrEqual(1_000);

  const hanging = await running();
  const sink = { send: () => new Promise<never>(() => undefined) };
  await hanging.process.events.deliverTo(new Map([["otlp", sink]]));
  await hanging.poll("up");
  await hanging.poll("down");
  expect(await hanging.stop(5_000)).toBeLessThanOrEqual(5_200);
  const next = receiver();
  const again = await startEventRun(hanging.clock, hanging.disk, next);
  await hanging.pass();
  expect(bodies(next)).toEqual(["Ping 50 on Router is down"]);
  expect(again.memory.report.found).toBe("good");
});

test("the state moves to a new folder", async () => {
  const { poll, process, pass, clock, target } = await running();
  await poll("up");
  const elsewhere = emptyDisk();
  const files = filesOn(elsewhere, clock, never);
  process.events.remember(await EventMemory.open("hq", files));
  await pass();
  process.kill();
  const next = receiver();
  const again = await startEventRun(clock, elsewhere, next);
  await again.poll(wholePoll([{ id: "50", status: "down" }]));
  await pass();
  expect([bodies(target), bodies(next)]).toEqual([[], ["Ping 50 on Router is down"]]);
});

test("a running process ignores the state of its new folder", async () => {
  const old = await running();
  await old.poll("up");
  for (const status of ["down", "up", "down", "up"] as const) await old.poll(status);
  old.process.kill();
  const { poll, process, clock, pass } = await running();
  await poll("up");
  const [file, otlp] = [receiver(), receiver()];
  process.events.remember(await EventMemory.open("hq", filesOn(old.disk, clock, never)));
  await process.events.deliverTo(new Map([["file", process.sinkTo(file)]]));
  await process.events.deliverTo(
    new Map([
      ["file", process.sinkTo(file)],
      ["otlp", process.sinkTo(otlp)],
    ]),
  );
  await pass();
  await poll("warning");
  expect([bodies(file), bodies(otlp)]).toEqual([["Ping 50 on Router is warning"], ["Ping 50 on Router is warning"]]);
});

test("a damaged journal starts a new baseline with a log line", async () => {
  const { poll, disk, process, clock, pass } = await running();
  await poll("up");
  await poll("down");
  process.kill();
  const [[name = "", text = ""] = []] = [...disk.files];
  const lines = text.split("\n");
  disk.files.set(name, [lines[0], lines[1]?.replace("told", "tale"), ...lines.slice(2)].join("\n"));
  const next = receiver();
  const starting = startEventRun(clock, disk, next);
  await pass();
  const again = await starting;
  expect(again.memory.report).toMatchObject({ found: "torn" });
  await again.poll(wholePoll([{ id: "50", status: "up" }]));
  await pass();
  expect(bodies(next)).toEqual([]);
});
