import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import type { SimNode } from "prtg-simulator/src/world/model.ts";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { createDiscovery, type DiscoverySources } from "../../src/app/reports/service-discovery.ts";
import { Redactor } from "../../src/errors/redactor.ts";
import { type Discovery, serviceDiscoveryEndpoint } from "../../src/http/pages/service-discovery-endpoint.ts";
import { ConcurrencyLimit } from "../../src/http/server/concurrency-limit.ts";
import { startWebServer } from "../../src/http/server/connection-handler.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { EMPTY_TREE } from "../../src/model/tree.ts";
import { describeWithPrograms } from "./support/programs.ts";
import { Prometheus } from "./support/prometheus.ts";
import { type ScrapedExporter, startScrapedExporter } from "./support/scraped-exporter.ts";

const HOSTILE = ' "C:\\x"\nצפון 👩‍🚀 </b>,{}=';
const LIMIT_MS = 60_000;

let exporter: ScrapedExporter;

beforeAll(async () => {
  // The demo's world.
  exporter = await startScrapedExporter({ size: { sensors: 300 } });
  const { world } = exporter.simulator;
  const [first] = world.list("device");
  if (first === undefined) throw new Error("no device");
  world.rename(first.id, HOSTILE);
  expect(await exporter.poll()).toBe(true);
});

afterAll(() => exporter.close());

interface Discovered {
  readonly labels: Readonly<Record<string, string>>;
  readonly discoveredLabels: Readonly<Record<string, string>>;
  readonly scrapeUrl: string;
}

/** Scrapes go through a port without a listener. */
async function discovering(
  binary: string,
  query: string,
  relabel: readonly object[],
  address = exporter.address,
): Promise<Prometheus> {
  const prometheus = await Prometheus.start({
    binary,
    target: exporter.address,
    interval: "60s",
    scrapeJob: {
      static_configs: [],
      http_sd_configs: [{ url: `http://${address}/sd${query}`, refresh_interval: "1s" }],
      relabel_configs: relabel,
    },
  });
  onTestFinished(() => prometheus.stop());
  return prometheus;
}

async function targetsOf(prometheus: Prometheus, enough: (targets: readonly Discovered[]) => boolean) {
  const deadline = Date.now() + LIMIT_MS;
  for (;;) {
    const answer = await fetch(`${prometheus.url}/api/v1/targets?state=active`);
    const { data } = (await answer.json()) as { data: { activeTargets: Discovered[] } };
    if (enough(data.activeTargets)) return data.activeTargets;
    if (Date.now() > deadline) throw new Error(`${data.activeTargets.length} targets\n${prometheus.log()}`);
    await sleep(100);
  }
}

/** Real discovery, or on request its answer before the first poll. */
async function refusingDiscovery() {
  let isRefusing = false;
  let refusals = 0;
  const discovery: Discovery = (question) => {
    if (!isRefusing) return exporter.exporter.discovery(question);
    refusals++;
    // Before the first poll.
    return createDiscovery(
      () => ({ clock: systemClock, monitors: new Map([["hq", UNPOLLED]]) }),
      new Redactor(),
    )(question);
  };
  const web = await startWebServer({
    addresses: [{ host: "127.0.0.1", port: 0 }],
    log: pino({ level: "silent" }),
    routes: new Map([["/sd", new ConcurrencyLimit().limit(serviceDiscoveryEndpoint(discovery))]]),
  });
  onTestFinished(() => web.close(0));
  return {
    address: new URL(web.urls[0] ?? "").host,
    refuse: (refuses: boolean) => {
      isRefusing = refuses;
    },
    refusals: () => refusals,
  };
}

const UNPOLLED: DiscoverySources["monitors"] extends ReadonlyMap<string, infer Monitor> ? Monitor : never = {
  status: () => ({
    ...{ server: "hq", up: false, version: undefined, objects: EMPTY_TREE.counts, channels: 0 },
    collectors: [
      {
        ...{ name: "tree", state: "running", lastSuccessAt: undefined, lastDurationMs: undefined },
        ...{ nextRunAt: undefined, skippedRuns: 0, failedRuns: 0, complete: undefined, error: undefined },
      },
    ],
  }),
  view: { state: { tree: EMPTY_TREE, statusOf: () => undefined } },
};

/** Exporter-module examples of docs/service-discovery.md. */
const PROBE = [
  { source_labels: ["__address__"], target_label: "__param_target" },
  { source_labels: ["__meta_prtg_device_id"], target_label: "instance" },
  { source_labels: ["__meta_prtg_path"], target_label: "path" },
  { target_label: "__address__", replacement: "127.0.0.1:1" },
];

function scrapeTargetOf(scrapeUrl: string): string | null {
  return new URL(scrapeUrl).searchParams.get("target");
}

function pathOf(node: SimNode): string {
  return node.parent === undefined || node.parent.kind === "root" ? node.name : `${pathOf(node.parent)}/${node.name}`;
}

for (const generation of [2, 3] as const) {
  describeWithPrograms([`prometheus-${generation}`], `service discovery of Prometheus ${generation}`, (programs) => {
    const binary = programs[`prometheus-${generation}`];

    test("gets every device of the world with its place in the tree", async () => {
      const devices = exporter.simulator.world.list("device").filter(({ host = "" }) => host !== "");
      expect(devices.length).toBeGreaterThan(20);
      const prometheus = await discovering(binary, "", PROBE);
      const targets = await targetsOf(prometheus, ({ length }) => length > 0);
      const found = targets.map(({ labels, discoveredLabels, scrapeUrl }) => ({
        id: labels.instance,
        path: labels.path,
        host: discoveredLabels.__meta_prtg_host,
        name: discoveredLabels.__meta_prtg_device,
        target: scrapeTargetOf(scrapeUrl),
      }));
      // A rule whose `.` does not match line breaks drops such names.
      const isLeftOut = (text: string) => generation === 2 && text.includes("\n");
      const expected = devices.map((device) => ({
        ...{
          id: device.id,
          path: isLeftOut(pathOf(device)) ? undefined : pathOf(device),
          host: device.host,
          name: device.name,
          target: device.host,
        },
      }));
      const byId = (one: { id?: string | undefined }, other: { id?: string | undefined }) =>
        (one.id ?? "") < (other.id ?? "") ? -1 : 1;
      expect(found.toSorted(byId)).toEqual(expected.toSorted(byId));
    });

    test("follows a new name, and keeps its list during an error answer", async () => {
      const discovery = await refusingDiscovery();
      const prometheus = await discovering(binary, "?server=hq", PROBE, discovery.address);
      const before = await targetsOf(prometheus, ({ length }) => length > 0);
      const { world } = exporter.simulator;
      const [, second] = world.list("device");
      const named = (name: string) => (targets: readonly Discovered[]) =>
        targets.some(({ discoveredLabels }) => discoveredLabels.__meta_prtg_device === name);
      world.rename(second?.id ?? "", `renamed for ${generation}`);
      expect(await exporter.poll()).toBe(true);
      await targetsOf(prometheus, named(`renamed for ${generation}`));
      discovery.refuse(true);
      world.rename(second?.id ?? "", `unseen by ${generation}`);
      expect(await exporter.poll()).toBe(true);
      const refusals = discovery.refusals();
      while (discovery.refusals() < refusals + 3) await sleep(50);
      const kept = await targetsOf(prometheus, named(`renamed for ${generation}`));
      expect(kept).toHaveLength(before.length);
      discovery.refuse(false);
      expect(await targetsOf(prometheus, named(`unseen by ${generation}`))).toHaveLength(before.length);
    });
  });
}
