import { expect, onTestFinished, test, vi } from "vitest";
import { openEvents } from "../../src/app/event-outputs.ts";
import { Exporter } from "../../src/app/exporter.ts";
import { openOtlpPush } from "../../src/app/otlp-preparation.ts";
import { startReceiver } from "../otlp/support/otlp-http-receiver.ts";
import { FixedStartClock } from "../support/fixed-start-clock.ts";
import { testContext } from "../support/simulated-exporter.ts";
import { simulateServer } from "../support/simulated-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { loadTestConfig } from "../support/test-config.ts";

const PATIENCE = { timeout: 30_000, interval: 50 };

test("an object that leaves the selection ends over OTLP and causes a removal event", async () => {
  const clock = new FixedStartClock();
  const [{ url, world }, receiver] = await Promise.all([simulateServer({ clock }), startReceiver()]);
  const sensors = world.list("sensor");
  const moved = world.list("device").find(({ parent }) => parent?.kind === "group");
  const group = moved?.parent?.id ?? "";
  const outside = world.list("probe").find(({ id }) => id !== group)?.id ?? "";
  const yaml = `
servers: [{ name: hq, url: "${url}", auth: { api_key: "\${KEY}" }, select: { include: [{ id: "${group}" }] } }]
state_dir: ${temporaryFolder({})}
collectors: { tree: { schedule: 1s }, status: { schedule: 1s }, timeseries: { enabled: false } }
otlp: { endpoint: "${receiver.url}", interval: 1s, events: true }
events: { structure: true }
`;
  const config = await loadTestConfig(yaml);
  const context = testContext(clock);
  const push = await openOtlpPush(config, context, {});
  const exporter = new Exporter(config, context, push, await openEvents(config, context, {}));
  onTestFinished(() => exporter.stop());
  expect(await exporter.start()).toBe(true);
  const below = new Set(sensors.filter(({ parent }) => parent?.id === moved?.id).map(({ id }) => id));
  expect(below.size).toBeGreaterThan(0);
  const shown = (isEnd: boolean) =>
    new Set(
      receiver.points
        .filter(({ metric, ended = false }) => metric === "prtg.sensor_status" && ended === isEnd)
        .map(({ attributes }) => String(attributes.sensor_id)),
    );
  await vi.waitFor(() => expect(below.isSubsetOf(shown(false))).toBe(true), PATIENCE);
  world.move(moved?.id ?? "", outside);
  await vi.waitFor(() => expect(shown(true)).toEqual(below), PATIENCE);
  const removed = () =>
    receiver.records
      .filter(({ eventName }) => eventName === "prtg.object.removed")
      .map(({ attributes }) => String(attributes["prtg.object.id"]));
  await vi.waitFor(() => expect(removed().toSorted()).toEqual([moved?.id, ...below].toSorted()), PATIENCE);
});
