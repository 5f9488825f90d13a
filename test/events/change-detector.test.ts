import { expect, test } from "vitest";
import { ChangeDetector, type ChangeDetectorOptions, type Finding } from "../../src/events/change-detector.ts";
import { list, record } from "../model/build-record.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { monitoredState, wholePoll } from "./support/monitored-site.ts";

const AT = Date.UTC(2026, 0, 15, 11);

function detecting(options: Partial<ChangeDetectorOptions> = {}) {
  const clock = new ManualClock();
  const { state, poll } = monitoredState(clock);
  const counts = { merged: 0, dropped: 0 };
  let findings: readonly Finding[] = [];
  const detector = new ChangeDetector({
    server: "hq",
    now: () => clock.now(),
    deviceOf: ({ deviceId }) => state.node(deviceId)?.node,
    earlier: new Map(),
    structure: false,
    hasRoom: () => true,
    onFindings: (found) => {
      findings = found;
    },
    onMerged: () => void counts.merged++,
    onDropped: (events) => {
      counts.dropped += events;
    },
    ...options,
  });
  state.watchNodes(detector);
  return {
    ...{ clock, counts, detector },
    poll: async (nodes: Parameters<typeof poll>[0]) => {
      await poll(nodes);
      return findings.flatMap(({ events }) => events);
    },
    bodies: async (nodes: Parameters<typeof poll>[0]) => {
      await poll(nodes);
      return findings.flatMap(({ events }) => events.map(({ body }) => body));
    },
  };
}

test("the first poll sends nothing, and a change is one event with all known fields", async () => {
  const { poll, clock } = detecting();
  expect(await poll(wholePoll([{ id: "50", status: "up", statusSince: AT }]))).toEqual([]);
  expect(await poll(wholePoll([{ id: "50", status: "up", statusSince: AT }]))).toEqual([]);
  const message = "Timeout (code: PE018)";
  const down = { id: "50", status: "down", statusSince: AT + 60_000, message, priority: 4, tags: ["a", "b"] } as const;
  const [event, ...more] = await poll(wholePoll([down]));
  expect(more).toEqual([]);
  expect(event).toEqual({
    uid: expect.stringMatching(/^[0-9a-f]{32}$/),
    eventName: "prtg.sensor.status_change",
    timestamp: AT + 60_000,
    observedTimestamp: clock.now(),
    severityText: "ERROR",
    severityNumber: 17,
    body: "Ping 50 on Router is down: Timeout (code: PE018)",
    attributes: {
      "prtg.server.name": "hq",
      "prtg.status.old": "up",
      "prtg.status.old_code": 3,
      "prtg.status.new": "down",
      "prtg.status.new_code": 5,
      "prtg.status.old_duration": 60,
      "prtg.status.message": message,
      "error.type": "PE018",
      "prtg.object.kind": "sensor",
      "prtg.object.id": "50",
      "prtg.object.name": "Ping 50",
      "prtg.object.path": "Local/Router/Ping 50",
      "prtg.object.type": expect.any(String),
      "prtg.object.priority": 4,
      "prtg.object.tags": ["a", "b"],
      "prtg.probe.name": "Local",
      "prtg.device.id": "40",
      "prtg.device.name": "Router",
      "prtg.device.path": "Local/Router",
      "server.address": "10.0.0.7",
      "prtg.sensor.id": "50",
      "prtg.sensor.name": "Ping 50",
    },
  });
  expect(await poll(wholePoll([down]))).toEqual([]);
});

test("objects other than sensors have another event name", async () => {
  const { poll } = detecting();
  await poll(wholePoll([]));
  const events = await poll({ probe: list([record("probe", "1", "0", { name: "Local", status: "disconnected" })]) });
  expect(events.map(({ eventName, severityText, body }) => [eventName, severityText, body])).toEqual([
    ["prtg.node.status_change", "ERROR", "Local is disconnected"],
  ]);
});

test("a restart continues from the last known statuses, without events for unknown objects", async () => {
  const earlier = new Map([["50", { status: "up", since: AT } as const]]);
  const { bodies, detector } = detecting({ earlier });
  const poll = wholePoll([
    { id: "50", status: "warning", statusSince: AT + 1_000 },
    { id: "51", status: "down", statusSince: AT + 1_000 },
  ]);
  expect(await bodies(poll)).toEqual(["Ping 50 on Router is warning"]);
  expect(await bodies(poll)).toEqual([]);
  expect(new Map(detector.snapshot()).get("50")).toEqual({ status: "warning", since: AT + 1_000 });
});

test("the detector keeps earlier objects until two complete polls lack them", async () => {
  const earlier = new Map([["50", { status: "up", since: AT } as const]]);
  const { poll, detector } = detecting({ earlier });
  const known = () => new Map(detector.snapshot()).has("50");
  await poll({ probe: list([]) });
  await poll(wholePoll([]));
  expect(known()).toBe(true);
  await poll(wholePoll([]));
  expect(known()).toBe(false);
});

test("an older status or a time that goes back is no change", async () => {
  const { poll } = detecting();
  for (const statusSince of [AT, AT - 5_000, AT, AT + 0.5]) {
    expect(await poll(wholePoll([{ id: "50", status: "up", statusSince, lastDown: AT - 1_000 }]))).toEqual([]);
  }
});

test("without room a change waits for the next poll, and a counter reports superseded ones", async () => {
  let room = 0;
  const { bodies, counts } = detecting({ hasRoom: (events) => events <= room });
  const sensors = (a: "up" | "down" | "warning", b: "up" | "down") =>
    wholePoll([
      { id: "50", status: a },
      { id: "51", status: b },
    ]);
  await bodies(sensors("up", "up"));
  expect(await bodies(sensors("down", "down"))).toEqual([]);
  room = 1;
  expect(await bodies(sensors("down", "down"))).toEqual(["Ping 50 on Router is down"]);
  room = 0;
  expect(await bodies(sensors("down", "up"))).toEqual([]);
  expect(counts.merged).toBe(1);
  expect(await bodies(sensors("up", "up"))).toEqual([]);
  expect(await bodies(sensors("warning", "up"))).toEqual([]);
  expect(counts.merged).toBe(2);
  room = 9;
  expect(await bodies(sensors("warning", "up"))).toEqual(["Ping 50 on Router is warning"]);
  expect(counts).toEqual({ merged: 2, dropped: 0 });
});

test("a change waits if there is room for its number but not for the bytes of its event", async () => {
  let bytes = 100;
  const { bodies, counts } = detecting({ hasRoom: (events, size) => events <= 1 && size <= bytes });
  await bodies(wholePoll([{ id: "50", status: "up" }]));
  const down = wholePoll([{ id: "50", status: "down" }]);
  expect(await bodies(down)).toEqual([]);
  bytes = 10_000;
  expect(await bodies(down)).toEqual(["Ping 50 on Router is down"]);
  expect(counts).toEqual({ merged: 0, dropped: 0 });
});

test("changes of the structure give events on request, for the changed object only", async () => {
  const { poll, bodies, detector, counts } = detecting({ structure: true });
  expect(await bodies(wholePoll([{ id: "50" }]))).toEqual([]);
  expect(await bodies(wholePoll([{ id: "50" }, { id: "51" }]))).toEqual(["sensor Ping 51 on Router was added"]);
  expect(await bodies(wholePoll([{ id: "50", name: "Pong" }, { id: "51" }]))).toEqual([
    "sensor Ping 50 on Router was renamed to Pong",
  ]);
  const moved = await poll({ device: list([record("device", "40", "2", { name: "Router", status: "up" })]) });
  expect(moved.map(({ eventName, body }) => [eventName, body])).toEqual([
    ["prtg.object.moved", "device Router was moved from Local/Router to Local/Office/Router"],
  ]);
  const without = { sensor: list([record("sensor", "50", "40", { name: "Pong" })]) };
  expect(await bodies(without)).toEqual([]);
  expect(await bodies(without)).toEqual(["sensor Ping 51 on Router was removed"]);
  detector.reportStructure(false);
  expect(await bodies(wholePoll([{ id: "50" }, { id: "52" }]))).toEqual([]);
  expect(counts.dropped).toBe(0);
});

test("a counter reports events of the structure without room", async () => {
  const { bodies, counts } = detecting({ structure: true, hasRoom: () => false });
  await bodies(wholePoll([{ id: "50" }]));
  expect(await bodies(wholePoll([{ id: "50" }, { id: "51" }, { id: "52" }]))).toEqual([]);
  expect(counts.dropped).toBe(2);
});

test("hostile texts give one valid line", async () => {
  const { poll } = detecting();
  await poll(wholePoll([{ id: "50", status: "up" }]));
  const message = `\u0000a\nb\ud800${"x".repeat(5_000)}`;
  const [event] = await poll(wholePoll([{ id: "50", status: "down", message, name: "\u2028\r\n" }]));
  expect(event?.body).not.toMatch(/[\n\r\0]/);
  expect(event?.body.length).toBeLessThanOrEqual(1_024);
  const texts = Object.values(event?.attributes ?? {}).filter((value) => typeof value === "string");
  expect(texts.every((text) => text.isWellFormed())).toBe(true);
});

test("events of one poll are in order of time, also after an outage", async () => {
  let now = AT + 100 * 60_000;
  const { poll } = detecting({ now: () => now++ });
  const at = (minutes: readonly number[], status: "up" | "down") =>
    wholePoll(minutes.map((minute, index) => ({ id: `${50 + index}`, status, statusSince: AT + minute * 60_000 })));
  await poll(at([0, 0, 0], "up"));
  const events = await poll(at([90, 5, 60], "down"));
  expect(events.map(({ timestamp }) => (timestamp - AT) / 60_000)).toEqual([5, 60, 90]);
  // A poll has one timestamp, so order shows the order of detection.
  expect(new Set(events.map(({ observedTimestamp }) => observedTimestamp)).size).toBe(1);
});
