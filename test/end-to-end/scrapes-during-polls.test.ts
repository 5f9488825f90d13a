import type { World } from "prtg-simulator/src/world/model.ts";
import { expect, test } from "vitest";
import { startPageServer } from "../http/support/page-server.ts";
import { type ParsedSample, parsePage } from "../support/parse-sample.ts";
import { startSimulatedExporter } from "../support/simulated-exporter.ts";

const FORMATS = [
  "text/plain;version=0.0.4",
  "text/plain;version=1.0.0;escaping=allow-utf-8",
  "application/openmetrics-text;version=1.0.0",
];
const SCRAPERS = 2;
const POLLS = 6;
/** Reading is slower than serving, hence a sample. */
const PAGES_READ = 16;

function change(world: World, round: number, at: number): void {
  const devices = world.list("device");
  const sensors = world.list("sensor");
  const pick = <Item>(items: readonly Item[], salt: number): Item | undefined =>
    items[(round * 7 + salt) % items.length];
  const [device, other, doomed, moved, renamed, paused] = [
    pick(devices, 0),
    pick(devices, 3),
    pick(sensors, 1),
    pick(sensors, 2),
    pick(sensors, 3),
    pick(sensors, 4),
  ];
  if (!device || !other || !doomed || !moved || !renamed || !paused) throw new RangeError("the world is too small");
  world.addSensor(device.id, `new "${round}"\n`, at);
  world.rename(other.id, `renamed ${round} \\ ü`);
  world.rename(renamed.id, doomed.name);
  if (moved !== doomed) world.move(moved.id, device.id);
  if (paused !== doomed) world.pause(paused.id, at);
  world.remove(doomed.id);
}

/** From one commit: different ages would show half a poll. */
function expectWholePolls(samples: Iterable<ParsedSample>): void {
  const paths = new Map<string, Map<string, string | undefined>>();
  for (const { name, labels } of samples) {
    if (!/^prtg_sensor_status(_code)?$/.test(name)) continue;
    const family = paths.get(name) ?? new Map();
    paths.set(name, family.set(labels.sensor_id, labels.path));
  }
  expect(paths.get("prtg_sensor_status_code")).toEqual(paths.get("prtg_sensor_status"));
}

test("pages during polls are complete, valid and without duplicate series", async () => {
  const running = await startSimulatedExporter({
    // Large enough to render one family in two slices.
    size: { probes: 1, groups: 5, devices: 20, sensors: 150, channels: 2_300 },
  });
  const { exporter, simulator } = running;
  const { web, logged } = await startPageServer({ exposition: exporter.exposition });
  try {
    await running.poll();
    let polls = 0;
    const pages: string[] = [];
    const poll = async () => {
      // For enough pages on a busy machine.
      for (; polls < POLLS || pages.length <= PAGES_READ; polls++) {
        change(simulator.world, polls, simulator.now());
        expect(await running.poll()).toBe(true);
      }
    };
    const scrape = async (scraper: number) => {
      for (let round = scraper; polls < POLLS || pages.length <= PAGES_READ; round++) {
        const accept = FORMATS[round % FORMATS.length] ?? "";
        const encoding = round % 2 === 0 ? "gzip" : "identity";
        const response = await fetch(`${web.urls[0]}/metrics`, {
          headers: { Accept: accept, "Accept-Encoding": encoding },
        });
        const text = await response.text();
        expect(response.headers.get("content-encoding")).toBe(encoding === "gzip" ? "gzip" : null);
        expect(text.endsWith("\n# EOF\n")).toBe(accept.startsWith("application"));
        pages.push(text);
      }
    };
    await Promise.all([poll(), ...Array.from({ length: SCRAPERS }, (_, scraper) => scrape(scraper))]);
    expect(pages.length).toBeGreaterThan(PAGES_READ);
    for (let index = 0; index < PAGES_READ; index++) {
      const samples = parsePage(pages[Math.floor((index * pages.length) / PAGES_READ)] ?? "");
      expect(samples.size).toBeGreaterThan(2_500);
      expectWholePolls(samples.values());
    }
    expect(logged).toEqual([]);
  } finally {
    await web.close(1_000);
    await running.close();
  }
});
