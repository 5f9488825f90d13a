import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { type OtelCollector, startOtelCollector } from "../real/support/otel-collector.ts";
import { describeWithPrograms } from "../real/support/programs.ts";
import { ReceivedFile, type ReceivedPoints } from "../real/support/received-points.ts";
import { CLUSTER_PROGRAMS } from "./support/kubernetes-node.ts";
import { ADDRESS } from "./support/node-settings.ts";
import { RELEASE } from "./support/release.ts";
import { missingPoints } from "./support/server-record.ts";
import { useCluster } from "./support/start-node.ts";

const SERVICE = "prtg-exporter";
/** Sensors scan every minute. */
const POINTS_LIMIT = { timeout: 300_000, interval: 1_000 };
const CHANNELS = 100;
/** Watermarks are written after 5 s: at most two scans per channel. */
const MAX_REPEATS = 2;

describeWithPrograms([...CLUSTER_PROGRAMS], "release that pushes, in a cluster", (programs) => {
  let collector: OtelCollector | undefined;
  let folder: string | undefined;

  // Runs last (reverse order): the release pushes until its end.
  afterEach(async () => {
    await collector?.stop();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
    [collector, folder] = [undefined, undefined];
  });

  const cluster = useCluster(programs);

  test("loses no point when its pod changes, and repeats points only after a kill", async () => {
    folder = mkdtempSync(path.join(tmpdir(), "prtg-exporter-pushes-"));
    const start = (command: readonly string[]) => cluster.node.startInNetwork(command);
    collector = await startOtelCollector({ binary: programs["otel-collector"], folder, host: ADDRESS, start });
    const file = new ReceivedFile(collector.file);
    const flags = [`--set=config.otlp.endpoint=${collector.url}`, "--set=config.otlp.interval=5s"];
    const installed = await cluster.install({ name: "otlp", title: "pushes", flags });
    await installed.pagesWithServers(1);
    await newPoints(file);

    const changes: Record<string, () => Promise<void>> = {
      "a deleted pod": async () => {
        await installed.deletePods();
        await installed.noneEnds();
        await installed.ready();
      },
      "a rollout": () => installed.upgrade("--set=podAnnotations.changed=once"),
      "a rollback": async () => void (await installed.helm(["rollback", RELEASE, "1", "--wait", "--timeout=180s"])),
      "a killed process": () => installed.kill(),
    };
    const points = file.of(SERVICE);
    const repeatedBy: Record<string, number> = {};
    for (const [what, change] of Object.entries(changes)) {
      const { repeated } = points;
      await change();
      const { count, seconds } = await newPoints(file);
      repeatedBy[what] = points.repeated - repeated;
      // Figures of docs/deployment.md.
      console.log(`${what}: ${repeatedBy[what]} points sent twice, new ones of ${count} channels ${seconds} s later`);
    }

    const { conflicts, outOfOrder, channels, repeats } = points;
    expect({ conflicts, outOfOrder }).toEqual({ conflicts: [], outOfOrder: [] });
    expect(repeatedBy).toEqual({
      ...{ "a deleted pod": 0, "a rollout": 0, "a rollback": 0 },
      // Killed before it wrote the last push.
      "a killed process": expect.toSatisfy((count: number) => count <= channels.size * MAX_REPEATS),
    });
    expect(Math.max(0, ...[...repeats.values()].map(({ length }) => length))).toBeLessThanOrEqual(MAX_REPEATS);
    expect(await missingPoints(cluster.node, installed, points)).toEqual([]);
  });
});

/** Most channels have a newer point. Returns how many and after how long. */
async function newPoints(file: ReceivedFile): Promise<{ count: number; seconds: number }> {
  const now = Date.now();
  return await vi.waitFor(async () => {
    await file.readOn();
    const count = newer(file.of(SERVICE), now);
    expect(count).toBeGreaterThan(CHANNELS);
    return { count, seconds: Math.round((Date.now() - now) / 1_000) };
  }, POINTS_LIMIT);
}

function newer({ channels }: ReceivedPoints, moment: number): number {
  return [...channels.values()].filter(({ times }) => (times.at(-1) ?? 0) > moment).length;
}
