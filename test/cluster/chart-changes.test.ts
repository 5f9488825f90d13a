import { expect, test, vi } from "vitest";
import { describeWithPrograms } from "../real/support/programs.ts";
import { CLUSTER_PROGRAMS } from "./support/kubernetes-node.ts";
import { RELEASE, type Release } from "./support/release.ts";
import { ScrapeLoop, type ScrapeSummary } from "./support/scrape-loop.ts";
import { useCluster } from "./support/start-node.ts";

const LIMIT = { timeout: 120_000, interval: 500 };
/** Frequent values show a gap quickly. */
const OFTEN = '--set-json=config.collectors={"status":{"schedule":"5s"},"channels":{"schedule":"10s"}}';
/** Drops names from the labels of all sensor series. */
const WITH_IDS = '--set-json=config.labels={"keep":"ids"}';
const LAST_SUCCESS = /^prtg_exporter_collector_last_success_timestamp_seconds\{[^}]*collector="status"[^}]*\} (\S+)$/m;
/** Ready after one round of requests. The cluster must first notice a kill. */
const MAX_WITHOUT_VALUES_MS = { rollout: 10_000, deleted: 30_000 };

describeWithPrograms([...CLUSTER_PROGRAMS], "release in a cluster", (programs) => {
  const cluster = useCluster(programs);

  async function install(title: string, ...flags: string[]): Promise<Release> {
    const installed = await cluster.install({ name: "minimal", title, flags: [OFTEN, ...flags] });
    await installed.pagesWithServers(1);
    return installed;
  }

  async function scrapedWhile(installed: Release, what: string, change: () => Promise<void>): Promise<ScrapeSummary> {
    const loop = await ScrapeLoop.start(cluster.node, await installed.serviceUrl());
    await change();
    await installed.pagesWithServers(1);
    return await loop.stop(what);
  }

  async function replacePod(installed: Release): Promise<void> {
    const before = await uidOf(installed);
    await installed.deletePods();
    // Until then, the terminating pod may count.
    await vi.waitFor(async () => expect(await uidOf(installed)).not.toBe(before), LIMIT);
    await installed.ready();
  }

  async function uidOf(installed: Release): Promise<string> {
    const [pod] = await installed.pods();
    return pod?.uid ?? "";
  }

  test("loses no request during a configuration change and its rollback", async () => {
    const installed = await install("rollout");
    const uids = new Set([await uidOf(installed)]);
    const { sent, failures, longestWithoutValuesMs } = await scrapedWhile(
      installed,
      "a rollout and its rollback",
      async () => {
        await installed.upgrade(WITH_IDS);
        uids.add(await uidOf(installed));
        await installed.helm(["rollback", RELEASE, "1", "--wait", "--timeout=120s"]);
        uids.add(await uidOf(installed));
      },
    );
    expect(uids.size).toBe(3);
    expect(failures).toEqual([]);
    expect(sent).toBeGreaterThan(100);
    expect(longestWithoutValuesMs).toBeLessThan(MAX_WITHOUT_VALUES_MS.rollout);
  });

  // A Service uses terminating pods if it has no other.
  test("loses no request when its pod is deleted", async () => {
    const installed = await install("deleted");
    const { failures, longestWithoutValuesMs } = await scrapedWhile(installed, "a deleted pod", async () => {
      const deletedAt = Date.now();
      await replacePod(installed);
      // The old pod must stay longer than this.
      console.log(`the next pod was ready ${Math.round((Date.now() - deletedAt) / 100) / 10} s later`);
      await installed.noneEnds();
    });
    expect(failures).toEqual([]);
    expect(longestWithoutValuesMs).toBeLessThan(MAX_WITHOUT_VALUES_MS.rollout);
  });

  test("recovers soon if its deleted pod stops after 3 s", async () => {
    const installed = await install("deleted-soon", "--set=lifecycle.preStop.sleep.seconds=3");
    const what = "a deleted pod that stays for 3 s";
    const { longestWithoutValuesMs } = await scrapedWhile(installed, what, () => replacePod(installed));
    expect(longestWithoutValuesMs).toBeLessThan(MAX_WITHOUT_VALUES_MS.deleted);
  });

  test("recovers soon after its process is killed", async () => {
    const installed = await install("killed");
    const before = await uidOf(installed);
    const { longestWithoutValuesMs } = await scrapedWhile(installed, "a killed process", async () => {
      await installed.kill();
      await vi.waitFor(async () => {
        expect((await installed.pods()).map(({ restarts }) => restarts)).toEqual([1]);
      }, LIMIT);
      await installed.ready();
    });
    expect(await uidOf(installed)).toBe(before);
    expect(longestWithoutValuesMs).toBeLessThan(MAX_WITHOUT_VALUES_MS.deleted);
  });

  test("adopts a rotated key without a new pod", async () => {
    const installed = await install("rotated");
    const before = await uidOf(installed);
    const { failures } = await scrapedWhile(installed, "a rotated key", async () => {
      const patch = JSON.stringify({ stringData: { "api-key": "the-next-key" } });
      await installed.kubectl(["patch", "secret", "prtg-hq", `--patch=${patch}`]);
      // From now on, the monitoring server only knows the new one.
      await installed.kubectl(["rollout", "restart", "deployment/stand-ins"]);
      await installed.kubectl(["rollout", "status", "deployment/stand-ins", "--timeout=60s"]);
      const restarted = Date.now() / 1_000;
      // By then, the old server's data is delivered.
      await vi.waitFor(async () => {
        const [page = ""] = await installed.pagesWithServers(1);
        expect(Number(LAST_SUCCESS.exec(page)?.[1])).toBeGreaterThan(restarted + 10);
      }, LIMIT);
    });
    expect(failures).toEqual([]);
    expect(await uidOf(installed)).toBe(before);
  });

  test("adopts a changed configuration without a new pod if enabled", async () => {
    const installed = await install("reload", "--set=autoReload.enabled=true", "--set=autoReload.interval=2s");
    const before = await uidOf(installed);
    const named = /^prtg_sensor_status\{[^}]*device=/m;
    expect((await installed.pagesWithServers(1)).join()).toMatch(named);
    const { failures } = await scrapedWhile(
      installed,
      "a configuration that is read while the exporter runs",
      async () => {
        await installed.upgrade(WITH_IDS);
        await vi.waitFor(async () => {
          expect((await installed.pagesWithServers(1)).join()).not.toMatch(named);
        }, LIMIT);
      },
    );
    expect(failures).toEqual([]);
    expect(await uidOf(installed)).toBe(before);
  });
});
