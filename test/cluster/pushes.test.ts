import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { type OtelCollector, startOtelCollector } from "../real/support/otel-collector.ts";
import { describeWithPrograms } from "../real/support/programs.ts";
import { type PointSeries, ReceivedFile, type ReceivedPoints } from "../real/support/received-points.ts";
import { CLUSTER_PROGRAMS, type KubernetesNode } from "./support/kubernetes-node.ts";
import { ADDRESS } from "./support/node-settings.ts";
import { RELEASE, Release, WORKLOAD } from "./support/release.ts";
import { startNode } from "./support/start-node.ts";

const SERVICE = "prtg-exporter";
/** Sensors are scanned once a minute, and most of them have a value each time. */
const POINTS_LIMIT = { timeout: 300_000, interval: 1_000 };
const CHANNELS = 100;

describeWithPrograms([...CLUSTER_PROGRAMS], "a release that pushes, in a cluster", (programs) => {
  let node: KubernetesNode;
  let release: Release | undefined;
  let collector: OtelCollector | undefined;
  let folder: string | undefined;

  beforeAll(async () => {
    node = await startNode(programs);
  });

  afterEach(async () => {
    await release?.remove();
    await collector?.stop();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
    [release, collector, folder] = [undefined, undefined, undefined];
  });

  afterAll(() => node?.close());

  test("loses no point and sends none twice when its pod is deleted, upgraded and rolled back", async () => {
    folder = mkdtempSync(path.join(tmpdir(), "prtg-exporter-pushes-"));
    const start = (command: readonly string[]) => node.startInNetwork(command);
    collector = await startOtelCollector({ binary: programs["otel-collector"], folder, host: ADDRESS, start });
    const file = new ReceivedFile(collector.file);
    const flags = [`--set=config.otlp.endpoint=${collector.url}`, "--set=config.otlp.interval=5s"];
    release = await Release.install(node, { name: "otlp", title: "pushes", flags });
    await release.pagesWithServers(1);
    await newPoints(file);

    await release.kubectl(["delete", "pods", "--selector=app.kubernetes.io/name=prtg-exporter"]);
    await release.kubectl(["rollout", "status", `deployment/${WORKLOAD}`, "--timeout=120s"]);
    await newPoints(file);
    await release.upgrade('--set-json=config.labels={"keep":"ids"}', "--set=podAnnotations.changed=once");
    await newPoints(file);
    await release.helm(["rollback", RELEASE, "1", "--wait", "--timeout=180s"]);
    await newPoints(file);

    const { conflicts, outOfOrder, repeated, channels } = file.of(SERVICE);
    expect({ conflicts, outOfOrder, repeated }).toEqual({ conflicts: [], outOfOrder: [], repeated: 0 });
    const torn = [...channels].filter(([, series]) => isTorn(series)).map(([id]) => id);
    expect(torn).toEqual([]);
  });
});

/** Resolves when most channels have a point that is newer than this moment. */
async function newPoints(file: ReceivedFile): Promise<void> {
  const now = Date.now();
  await vi.waitFor(async () => {
    await file.readOn();
    expect(newer(file.of(SERVICE), now)).toBeGreaterThan(CHANNELS);
  }, POINTS_LIMIT);
}

function newer({ channels }: ReceivedPoints, moment: number): number {
  return [...channels.values()].filter(({ times }) => (times.at(-1) ?? 0) > moment).length;
}

/** Whether a point is missing among the newest: their distance is that of all, which a sensor keeps. */
function isTorn({ times }: PointSeries): boolean {
  const steps = times.slice(1).map((time, index) => time - (times[index] ?? time));
  const usual = steps.toSorted((one, other) => one - other)[Math.floor(steps.length / 2)] ?? 0;
  return steps.slice(-10).some((step) => step > usual * 1.5);
}
