import { createWorld } from "prtg-simulator/src/world/world.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { NodeReport } from "../../../src/http/pages/status/report.ts";
import { CLOCK_START } from "../../support/manual-clock.ts";
import { type SimulatedExporter, startSimulatedExporter } from "../../support/simulated-exporter.ts";

const MINUTE = 60_000;

let running: SimulatedExporter;

beforeAll(async () => {
  const size = { sensors: 100 };
  const world = createWorld({ seed: 1, size, startedAt: CLOCK_START, showsAcknowledgements: true });
  running = await startSimulatedExporter({
    simulator: { world },
    settings: "collectors: { timeseries: { enabled: false } }\n",
  });
});

afterAll(() => running.close());

test("an acknowledged sensor keeps the message from before until the acknowledgement ends", async () => {
  const { world } = running.simulator;
  const begin = CLOCK_START - 20 * MINUTE;
  const sensor = world.list("sensor").find((each) => world.state(each, begin).status === "up");
  if (sensor?.parent === undefined) throw new Error("no sensor");
  const { id, parent } = sensor;
  const pollAt = async (at: number) => {
    running.simulator.freezeAt(at);
    expect(await running.poll()).toBe(true);
    const report = NodeReport.parse(await running.exporter.status.node({ server: "hq", id: parent.id, from: 0 }));
    return report.children.items.find((child) => child.id === id);
  };
  world.force(id, "down", begin);
  const down = await pollAt(begin + MINUTE);
  expect(down).toMatchObject({ status: "down", message: expect.any(String), acknowledgement: null });
  world.acknowledge(id, begin + 5 * MINUTE, "Ticket 4711");
  const acknowledgement = { message_before: down?.message, down_since: down?.status_since };
  expect(await pollAt(begin + 6 * MINUTE)).toMatchObject({
    status: "acknowledged",
    message: "Ticket 4711",
    acknowledgement,
  });
  expect((await pollAt(begin + 8 * MINUTE))?.acknowledgement).toMatchObject(acknowledgement);
  world.force(id, "up", begin + 9 * MINUTE);
  expect(await pollAt(begin + 10 * MINUTE)).toMatchObject({ acknowledgement: null });
});
