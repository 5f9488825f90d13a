import { afterEach, expect, test } from "vitest";
import { negotiateFormat } from "../../src/exposition/negotiate.ts";
import { isOwnMetric, parsePage } from "../support/parse-sample.ts";
import { type SimulatedExporter, startSimulatedExporter } from "../support/simulated-exporter.ts";

const SIZE = { sensors: 300, channels: 1_500 };
const running: SimulatedExporter[] = [];

afterEach(async () => {
  for (const exporter of running.splice(0)) await exporter.close();
});

async function polled(settings = ""): Promise<SimulatedExporter> {
  const exporter = await startSimulatedExporter({ size: SIZE, settings });
  running.push(exporter);
  expect(await exporter.poll()).toBe(true);
  return exporter;
}

type Samples = ReturnType<typeof parsePage>;

async function partsOf({ exporter }: SimulatedExporter, count: number): Promise<Samples[]> {
  const pages: Samples[] = [];
  for (let index = 0; index < count; index++) {
    const page = await exporter.exposition.page(negotiateFormat({}), "identity", { index, count });
    pages.push(parsePage(Buffer.concat(page).toString()));
  }
  return pages;
}

function devicesOf(samples: Samples): Map<string, string> {
  const infos = [...samples.values()].filter(({ name }) => name === "prtg_sensor_info");
  return new Map(infos.map(({ labels }) => [labels.sensor_id ?? "", labels.device_id ?? ""]));
}

test("keeps a device with its sensors and channels in one part after a move", async () => {
  const running = await polled();
  const { simulator } = running;
  const whole = parsePage(await running.page());
  const check = async (expected: Samples) => {
    const parts = await partsOf(running, 4);
    const keys = parts.flatMap((part) => [...part].filter(([, { name }]) => !isOwnMetric(name)).map(([key]) => key));
    expect(keys.sort()).toEqual(
      [...expected]
        .filter(([, { name }]) => !isOwnMetric(name))
        .map(([key]) => key)
        .sort(),
    );
    const partOfDevice = new Map<string, number>();
    const deviceOf = devicesOf(expected);
    for (const [index, part] of parts.entries()) {
      for (const { labels, name } of part.values()) {
        if (isOwnMetric(name)) continue;
        const device = labels.device_id ?? deviceOf.get(labels.sensor_id ?? "");
        if (device === undefined) continue;
        expect([device, partOfDevice.get(device) ?? index]).toEqual([device, index]);
        partOfDevice.set(device, index);
      }
    }
    expect(new Set(partOfDevice.values()).size).toBe(4);
  };
  await check(whole);
  const [first, ...others] = [...new Set(devicesOf(whole).values())];
  const world = simulator.world;
  for (const [sensor, device] of devicesOf(whole)) {
    if (device === first) world.move(sensor, others[0] ?? "");
  }
  expect(await running.poll()).toBe(true);
  await check(parsePage(await running.page()));
});

test("drops whole devices beyond limits.max_series, reports it and keeps the others", async () => {
  const whole = parsePage(await (await polled()).page());
  const limit = 2_000;
  const cut = await polled(`limits: { max_series: ${limit} }`);
  const page = await cut.page();
  const kept = parsePage(page);
  const ofTree = [...kept.values()].filter(({ name }) => !isOwnMetric(name));
  expect(ofTree.length).toBeLessThanOrEqual(limit);
  expect(ofTree.length).toBeGreaterThan(limit - 500);
  const deviceOf = devicesOf(whole);
  const devices = new Set(devicesOf(kept).values());
  const expected = [...whole].filter(([, { name, labels }]) => {
    const device = labels.device_id ?? deviceOf.get(labels.sensor_id ?? "");
    return !isOwnMetric(name) && device !== undefined && devices.has(device);
  });
  for (const [key] of expected) expect(kept.has(key)).toBe(true);
  const sum = (name: string) =>
    [...kept.values()].filter((sample) => sample.name === name).reduce((total, { value }) => total + Number(value), 0);
  expect(sum("prtg_exporter_series")).toBe(ofTree.length);
  const all = [...whole.values()].filter(({ name }) => !isOwnMetric(name)).length;
  expect(sum("prtg_exporter_dropped_series")).toBe(all - ofTree.length);
});
