import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startSimulator } from "prtg-simulator/src/simulator.ts";
import type { World } from "prtg-simulator/src/world/model.ts";
import { expect, onTestFinished, test } from "vitest";
import { journalFileName } from "../../src/events/event-memory.ts";
import { type Receiver, startReceiver } from "../otlp/support/otlp-http-receiver.ts";
import { startPushingExporter } from "../real/support/pushing-exporter.ts";
import { ReceivedPoints } from "../real/support/received-points.ts";
import { OTLP_TIMEOUT_MS, REQUEST_TIMEOUT_MS, RequestClock } from "../real/support/request-clock.ts";
import { differencesFromRecord, simulatedRecord } from "../real/support/simulated-record.ts";
import { freePort } from "../support/free-port.ts";
import { TEST_KEY } from "../support/simulated-exporter.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { startScrapes } from "./support/scrape-load.ts";
import {
  createUpgradedWorld,
  type DeliveredPoints,
  FIRST_MEASUREMENT,
  LAST_MEASUREMENT,
  MINUTE,
  NEW_BEGIN,
  OLD_BEGIN,
  OLD_END,
} from "./support/upgraded-site.ts";

const OLD = fileURLToPath(new URL("../fixtures/upgrades/0.1.0/", import.meta.url));
const V1 = fileURLToPath(new URL("../fixtures/upgrades/1.0.0/", import.meta.url));
const DELIVERED: DeliveredPoints = JSON.parse(readFileSync(join(OLD, "delivered.json"), "utf8"));
/** Polls have read the last measurement. */
const AFTER_LAST = LAST_MEASUREMENT + 6 * MINUTE;

/** The site after a release that left its state in a folder. */
async function openSite(release: string) {
  const clock = new RequestClock(NEW_BEGIN);
  const world = createUpgradedWorld();
  const credentials = { apiKey: TEST_KEY, username: "tester", password: "password-of-the-tests" };
  const simulator = await startSimulator({ world, clock, spelling: "live", credentials });
  onTestFinished(() => simulator.close());
  let refuses = false;
  const receiver = await startReceiver(() => (refuses ? { status: 503 } : undefined));
  const state = temporaryFolder({});
  cpSync(join(release, "state"), state, { recursive: true });
  const start = (settings = "", port = 0) =>
    clock.until(
      startPushingExporter({
        server: simulator.url,
        limits: `timeout: ${REQUEST_TIMEOUT_MS}ms`,
        settings: `state_dir: ${state}
otlp: { endpoint: "${receiver.url}", interval: 15s, timeout: ${OTLP_TIMEOUT_MS}ms, repeat_interval: 0 }
${settings}`,
        port,
        clock,
      }),
    );
  const refuse = (now: boolean) => {
    refuses = now;
  };
  return { clock, world, receiver, refuse, start };
}

function measurementsOf({ points }: Receiver) {
  return points
    .filter(({ metric, ended }) => metric === "prtg.channel_value" && ended !== true)
    .map((point) => ({ ...point, channel: `${point.attributes.sensor_id}.${point.attributes.channel_id}` }));
}

/** Of both releases. */
function receivedBy(receiver: Receiver, world: World): ReceivedPoints {
  const received = new ReceivedPoints();
  const record = new Map(simulatedRecord(world, { from: FIRST_MEASUREMENT, to: NEW_BEGIN }));
  for (const [channel, seconds] of Object.entries(DELIVERED.seconds)) {
    const { times = [], values = [] } = record.get(channel) ?? {};
    for (const at of seconds.map((second) => OLD_BEGIN + second * 1000)) {
      received.add(channel, at, values[times.indexOf(at)] ?? Number.NaN);
    }
  }
  for (const { channel, time, value } of measurementsOf(receiver)) {
    received.add(channel, Number(time / 1_000_000n), Number(value));
  }
  return received;
}

test("every measurement arrives once if the new release continues with the state of 0.1.0", async () => {
  const { clock, world, receiver, start } = await openSite(OLD);
  expect(Object.keys(DELIVERED.seconds).sort()).toEqual(
    world
      .channels()
      .map(({ sensor, number }) => `${sensor.id}.${number}`)
      .sort(),
  );
  const exporter = await start();
  await clock.pass(AFTER_LAST - NEW_BEGIN);
  await clock.until(exporter.stop());
  const received = receivedBy(receiver, world);
  expect(differencesFromRecord(received, world, [{ from: FIRST_MEASUREMENT, to: LAST_MEASUREMENT }])).toEqual([]);
  expect([received.repeated, received.conflicts]).toEqual([0, []]);

  // The receiver sees no new series. service.version would begin new ones with each release.
  const names = measurementsOf(receiver).map(({ channel, attributes }) => [
    channel,
    Object.keys(attributes).sort().join(),
  ]);
  expect(Object.fromEntries(names)).toEqual(DELIVERED.attributes);
  const resources = receiver.requests.flatMap(({ batches }) => batches.map(({ resource }) => resource));
  const [resource = {}] = resources;
  expect(new Set(resources.map((each) => JSON.stringify(each))).size).toBe(1);
  expect(Object.keys(resource).sort()).toEqual(DELIVERED.resource.filter((name) => name !== "service.version"));
  expect(resource["service.instance.id"]).toBe(readFileSync(join(OLD, "state", "instance-id"), "utf8").trim());
});

test("scrapes, measurements and events survive a restart under load after the upgrade", async () => {
  const { clock, world, receiver, refuse, start } = await openSite(OLD);
  const port = await freePort();
  const eventFile = join(temporaryFolder({}), "events.jsonl");
  const settings = `events: { file: ${eventFile} }`;
  const [first = "", second = "", third = ""] = world.list("sensor").map(({ id }) => id);

  const before = await start(settings, port);
  await clock.pass(4 * MINUTE);
  world.force(first, "down", clock.now());
  await clock.pass(4 * MINUTE);
  refuse(true);
  await clock.pass(3 * MINUTE);
  const scrapes = startScrapes(port);
  await clock.pass(MINUTE);
  await clock.until(before.stop());
  world.force(second, "warning", clock.now());
  refuse(false);
  const after = await start(settings, port);
  await clock.pass(MINUTE);
  const { statuses, cut } = await scrapes.stop();
  world.force(third, "unusual", clock.now());
  await clock.pass(AFTER_LAST - clock.now());
  await clock.until(after.stop());

  expect({ statuses, cut }).toEqual({ statuses: { 200: expect.any(Number) }, cut: 0 });
  const received = receivedBy(receiver, world);
  expect(differencesFromRecord(received, world, [{ from: FIRST_MEASUREMENT, to: LAST_MEASUREMENT }])).toEqual([]);
  expect([received.repeated, received.conflicts]).toEqual([0, []]);
  expect(changesIn(eventFile, [first, second, third]).map(({ sensor, status }) => [sensor, status])).toEqual([
    [first, "down"],
    [second, "warning"],
    [third, "unusual"],
  ]);
});

test("events that wait in a journal of 1.0.0 arrive once, and then those of changes since", async () => {
  const { clock, world, start } = await openSite(V1);
  const eventFile = join(temporaryFolder({}), "events.jsonl");
  const [first = "", second = "", third = ""] = world.list("sensor").map(({ id }) => id);
  world.force(first, "down", OLD_BEGIN + 2 * MINUTE);
  world.force(second, "warning", OLD_BEGIN + 4 * MINUTE);
  world.force(third, "unusual", OLD_END);
  for (let restart = 0; restart < 2; restart++) {
    const exporter = await start(`events: { file: ${eventFile} }`);
    await clock.pass(2 * MINUTE);
    await clock.until(exporter.stop());
  }
  const changes = changesIn(eventFile, [first, second, third]);
  expect(changes.map(({ sensor, status }) => [sensor, status])).toEqual([
    [first, "down"],
    [second, "warning"],
    [third, "unusual"],
  ]);
  const journal = readFileSync(join(V1, "state", journalFileName("hq")), "utf8");
  const waiting = [...journal.matchAll(/"uid":"(\w+)"/g)].map(([, uid]) => uid);
  expect(changes.slice(0, 2).map(({ uid }) => uid)).toEqual(waiting);
});

interface StatusChange {
  readonly uid: string;
  readonly sensor: string;
  readonly status: string;
}

/** Other sensors have incidents of the world. */
function changesIn(eventFile: string, sensors: readonly string[]): StatusChange[] {
  return readFileSync(eventFile, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))
    .map(({ uid, attributes }) => ({
      uid,
      sensor: attributes["prtg.sensor.id"],
      status: attributes["prtg.status.new"],
    }))
    .filter(({ sensor }) => sensors.includes(sensor));
}
