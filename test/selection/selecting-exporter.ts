import type { Simulator } from "prtg-simulator/src/simulator.ts";
import type { SimNode, World } from "prtg-simulator/src/world/model.ts";
import { onTestFinished } from "vitest";
import { digestConfig } from "../../src/app/config-digests.ts";
import { Exporter } from "../../src/app/exporter.ts";
import type { Config } from "../../src/config/load.ts";
import { negotiateFormat } from "../../src/exposition/negotiate.ts";
import { seriesKey } from "../support/expected-series.ts";
import { FixedStartClock } from "../support/fixed-start-clock.ts";
import { parsePage } from "../support/parse-sample.ts";
import { testContext } from "../support/simulated-exporter.ts";
import { loadTestConfig } from "../support/test-config.ts";

/** No polls during a test. */
const RARELY =
  "collectors: { health: { schedule: 1h }, tree: { schedule: 1h }, status: { schedule: 1h }, channels: { schedule: 1h }, limits: { schedule: 1h }, timeseries: { enabled: false } }\n";

/** `select`: JSON of `servers[].select`. Undefined: everything. */
export async function selectingConfig({ url }: Pick<Simulator, "url">, select?: unknown): Promise<Config> {
  const selected = select === undefined ? "" : `, select: ${JSON.stringify(select)}`;
  const limits = "limits: { requests_per_second: 1000 }";
  const yaml = `servers: [{ name: hq, url: "${url}", auth: { api_key: "\${KEY}" }, ${limits}${selected} }]\n${RARELY}`;
  return loadTestConfig(yaml);
}

/** Polls on request. The caller freezes the simulator at `CLOCK_START`. */
export async function selecting(simulator: Simulator, select?: unknown): Promise<Exporter> {
  const exporter = new Exporter(await selectingConfig(simulator, select), testContext(new FixedStartClock()));
  onTestFinished(() => exporter.stop());
  return exporter;
}

export async function poll(exporter: Exporter, times = 1): Promise<void> {
  for (let time = 0; time < times; time++) {
    if (!(await exporter.pollOnce(AbortSignal.timeout(60_000)))) throw new Error("a collector failed");
  }
}

/** Of all or these objects, without counts of others. */
export async function seriesOf(exporter: Exporter, of?: ReadonlySet<string>): Promise<Map<string, string>> {
  const found = (await samplesOf(exporter)).filter(({ labels }) => {
    const object = objectOf(labels);
    return object !== undefined && (of?.has(object) ?? true);
  });
  return new Map(found.map(({ name, labels, value }) => [seriesKey(name, labels), value] as const).toSorted(byName));
}

export async function samplesOf(exporter: Exporter) {
  await exporter.exposition.refresh();
  const page = Buffer.concat(await exporter.exposition.page(negotiateFormat({}), "identity")).toString();
  return [...parsePage(page).values()];
}

function objectOf(labels: Readonly<Record<string, string>>): string | undefined {
  if (labels.status !== undefined && labels.id !== undefined) return undefined;
  return labels.sensor_id ?? labels.device_id ?? labels.id;
}

export async function shownObjects(exporter: Exporter): Promise<ReadonlySet<string>> {
  return new Set((await samplesOf(exporter)).flatMap(({ labels }) => objectOf(labels) ?? []));
}

export async function reload(exporter: Exporter, from: Config, to: Config): Promise<void> {
  const digests = await digestConfig(to);
  await exporter.change(await digestConfig(from), { config: to, digests, push: undefined, events: undefined }, 1_000);
}

export interface Rule {
  readonly path?: string;
  readonly id?: string;
  readonly tag?: string;
}

/** Selected objects and the probes above them, computed from the world by definition, without the exporter's code. */
export function selectedIn(world: World, include: readonly Rule[], exclude: readonly Rule[]): ReadonlySet<string> {
  const selected = new Set<string>();
  for (const kind of ["probe", "group", "device", "sensor"] as const) {
    for (const node of nodesOf(world, kind)) {
      const line: Step[] = [];
      for (let at: Step | undefined = node; at !== undefined && at.id !== "0"; at = at.parent) line.unshift(at);
      const fits = (rules: readonly Rule[]) =>
        line.some((object, depth) => {
          const path = line.slice(0, depth + 1).map(({ name }) => name);
          return rules.some(
            (rule) =>
              rule.id === object.id ||
              (rule.tag !== undefined && object.tags.includes(rule.tag)) ||
              (rule.path !== undefined && fitsGlob(path.join("/"), rule.path)),
          );
        });
      if ((include.length > 0 && !fits(include)) || fits(exclude)) continue;
      selected.add(node.id);
      selected.add(line[0]?.id ?? node.id);
    }
  }
  return selected;
}

export function nodesOf(world: World, kind: "probe" | "group" | "device" | "sensor"): readonly SimNode[] {
  if (kind === "probe") return world.list("probe");
  if (kind === "group") return world.list("group");
  return kind === "device" ? world.list("device") : world.list("sensor");
}

interface Step {
  readonly id: string;
  readonly name: string;
  readonly tags: readonly string[];
  readonly parent?: Step | undefined;
}

function fitsGlob(path: string, glob: string): boolean {
  const source = glob.replaceAll(/\*\*|[*?]|[^*?]+/g, (part) =>
    part === "**" ? ".*" : part === "*" ? "[^/]*" : part === "?" ? "[^/]" : part.replaceAll(/[^\w/ ]/g, "\\$&"),
  );
  return new RegExp(`^${source}$`, "s").test(path);
}

function byName([a]: readonly [string, string], [b]: readonly [string, string]): number {
  return a < b ? -1 : 1;
}
