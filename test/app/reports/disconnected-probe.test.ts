import type { SimNode, SimSensor } from "prtg-simulator/src/world/model.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SearchReport, StatusReport } from "../../../src/http/pages/status/report.ts";
import { PROBLEM_STATUSES } from "../../../src/http/pages/status/status-order.ts";
import { CLOCK_START } from "../../support/manual-clock.ts";
import { type SimulatedExporter, startSimulatedExporter } from "../../support/simulated-exporter.ts";

let running: SimulatedExporter;
let probe: SimNode;
let lost: readonly SimSensor[];

beforeAll(async () => {
  running = await startSimulatedExporter({ size: { sensors: 300, probes: 3 } });
  const { world } = running.simulator;
  const at = CLOCK_START;
  running.simulator.freezeAt(at);
  const isBelow = (sensor: SimSensor, { id }: SimNode) => {
    for (let above: SimNode | undefined = sensor; above !== undefined; above = above.parent)
      if (above.id === id) return true;
    return false;
  };
  const sensorsOf = (each: SimNode) => world.list("sensor").filter((sensor) => isBelow(sensor, each));
  const found = world.list("probe").find((each) => sensorsOf(each).length > 50);
  if (found === undefined) throw new Error("no probe with sensors");
  probe = found;
  const effect = { kind: "status", status: "disconnected", message: undefined } as const;
  world.addIncident(probe.id, { start: at - 120_000, lengthMs: Infinity, everyMs: Infinity, times: 1, effect });
  lost = sensorsOf(probe).filter((sensor) => world.state(sensor, at).status === "unknown");
  expect(await running.poll()).toBe(true);
});

afterAll(() => running.close());

const SEARCH = { text: "", server: undefined, priorities: [], tag: "", probe: "", page: 1 };
const search = async (statuses: readonly string[]) =>
  SearchReport.parse(await running.exporter.status.search({ ...SEARCH, statuses }));
const status = async () => StatusReport.parse(await running.exporter.status.status());

test("a disconnected probe is the first outage, with the sensors that it hides", async () => {
  const { problems, outages, totals } = await status();
  expect(lost.length).toBeGreaterThan(50);
  expect(outages.items[0]).toMatchObject({
    ...{ kind: "probe", id: probe.id, status: "disconnected", problem: "unknown" },
    affected: lost.length,
  });
  expect(problems.items.map(({ id }) => id)).not.toContain(probe.id);
  expect(totals.sensors_by_status.unknown).toBeGreaterThanOrEqual(lost.length);
  expect(totals.parents_by_status.probe.disconnected).toBe(1);
  const { total } = await search(PROBLEM_STATUSES);
  expect(problems.total).toBe(total);
});

test("a search by status finds the probe, and only sensors by unknown", async () => {
  expect((await search(["DISCONNECTED"])).items).toMatchObject([{ kind: "probe", id: probe.id }]);
  const { totals } = await status();
  const unknown = await search(["unknown"]);
  expect(unknown.total).toBe(totals.sensors_by_status.unknown);
  expect(unknown.items.every(({ kind }) => kind === "sensor")).toBe(true);
});
