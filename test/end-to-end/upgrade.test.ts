import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { startSimulator } from "../../packages/simulator/src/simulator.ts";
import type { World } from "../../packages/simulator/src/world/model.ts";
import { type Receiver, startReceiver } from "../otlp/support/receiver.ts";
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
} from "./support/upgraded-site.ts";

const OLD = fileURLToPath(new URL("../fixtures/upgrades/0.1.0/", import.meta.url));
const DELIVERED: DeliveredPoints = JSON.parse(readFileSync(join(OLD, "delivered.json"), "utf8"));
/** Polls have read the last measurement. */
const AFTER_LAST = LAST_MEASUREMENT + 6 * MINUTE;

/** The site after the old release. */
async function openSite() {
  const clock = new RequestClock(NEW_BEGIN);
  const world = createUpgradedWorld();
  const credentials = { apiKey: TEST_KEY, username: "tester", password: "password-of-the-tests" };
  const simulator = await startSimulator({ world, clock, spelling: "live", credentials });
  onTestFinished(() => simulator.close());
  let refuses = false;
  const receiver = await startReceiver(() => (refuses ? { status: 503 } : undefined));
  const state = temporaryFolder({});
  cpSync(join(OLD, "state"), state, { recursive: true });
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
  const { clock, world, receiver, start } = await openSite();
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
  const { clock, world, receiver, refuse, start } = await openSite();
  const port = await freePort();
  const eventFile = join(temporaryFolder({}), "events.jsonl");
  const settings = `events: { file: ${eventFile} }`;
  const [first, second, third] = world.list("sensor").map(({ id }) => id);

  const before = await start(settings, port);
  await clock.pass(4 * MINUTE);
  world.force(first ?? "", "down", clock.now());
  await clock.pass(4 * MINUTE);
  refuse(true);
  await clock.pass(3 * MINUTE);
  const scrapes = startScrapes(port);
  await clock.pass(MINUTE);
  await clock.until(before.stop());
  world.force(second ?? "", "warning", clock.now());
  refuse(false);
  const after = await start(settings, port);
  await clock.pass(MINUTE);
  const { statuses, cut } = await scrapes.stop();
  world.force(third ?? "", "unusual", clock.now());
  await clock.pass(AFTER_LAST - clock.now());
  await clock.until(after.stop());

  expect({ statuses, cut }).toEqual({ statuses: { 200: expect.any(Number) }, cut: 0 });
  const received = receivedBy(receiver, world);
  expect(differencesFromRecord(received, world, [{ from: FIRST_MEASUREMENT, to: LAST_MEASUREMENT }])).toEqual([]);
  expect([received.repeated, received.conflicts]).toEqual([0, []]);
  const events = readFileSync(eventFile, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const ofSensors = events.filter((event) => event.event_name === "prtg.sensor.status_change");
  expect(ofSensors.map(({ attributes }) => [attributes["prtg.sensor.id"], attributes["prtg.status.new"]])).toEqual([
    [first, "down"],
    [second, "warning"],
    [third, "unusual"],
  ]);
});
