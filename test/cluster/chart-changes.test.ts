import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { describeWithPrograms } from "../real/support/programs.ts";
import { CLUSTER_PROGRAMS, type KubernetesNode } from "./support/kubernetes-node.ts";
import { RELEASE, Release, WORKLOAD } from "./support/release.ts";
import { ScrapeLoop } from "./support/scrape-loop.ts";
import { startNode } from "./support/start-node.ts";

const LIMIT = { timeout: 120_000, interval: 500 };
/** Values that come often, so that their absence is seen soon. */
const OFTEN = '--set-json=config.collectors={"status":{"schedule":"5s"},"channels":{"schedule":"10s"}}';
/** Leaves out the names in the labels of every series of a sensor. */
const WITH_IDS = '--set-json=config.labels={"keep":"ids"}';
/** A replaced pod is ready when it has asked the monitoring servers once; a pod that was killed first has to be missed. */
const MAX_WITHOUT_VALUES_MS = { rollout: 10_000, deleted: 30_000 };

describeWithPrograms([...CLUSTER_PROGRAMS], "a release in a cluster", (programs) => {
  let node: KubernetesNode;
  let release: Release | undefined;

  beforeAll(async () => {
    node = await startNode(programs);
  });

  afterEach(async () => {
    await release?.remove();
    release = undefined;
  });

  afterAll(() => node?.close());

  async function install(title: string, ...flags: string[]): Promise<Release> {
    release = await Release.install(node, { name: "minimal", title, flags: [OFTEN, ...flags] });
    await release.pagesWithServers(1);
    return release;
  }

  async function uidOf(installed: Release): Promise<string> {
    const [pod] = await installed.pods();
    return pod?.uid ?? "";
  }

  test("loses no request by a changed configuration, nor by its rollback", async () => {
    const installed = await install("rollout");
    const first = await uidOf(installed);
    const loop = await ScrapeLoop.start(node, await installed.serviceUrl());
    await installed.upgrade(WITH_IDS);
    const second = await uidOf(installed);
    await installed.helm(["rollback", RELEASE, "1", "--wait", "--timeout=120s"]);
    const third = await uidOf(installed);
    await installed.pagesWithServers(1);
    expect(new Set([first, second, third]).size).toBe(3);
    const { sent, failures, longestWithoutValuesMs } = await loop.stop();
    expect(failures).toEqual([]);
    expect(sent).toBeGreaterThan(100);
    expect(longestWithoutValuesMs).toBeLessThan(MAX_WITHOUT_VALUES_MS.rollout);
  });

  test("is back soon when its pod is deleted", async () => {
    const installed = await install("deleted");
    const before = await uidOf(installed);
    const loop = await ScrapeLoop.start(node, await installed.serviceUrl());
    await installed.kubectl(["delete", "pods", "--selector=app.kubernetes.io/name=prtg-exporter"]);
    await installed.kubectl(["rollout", "status", `deployment/${WORKLOAD}`, "--timeout=60s"]);
    await installed.pagesWithServers(1);
    expect(await uidOf(installed)).not.toBe(before);
    const { longestWithoutValuesMs } = await loop.stop();
    expect(longestWithoutValuesMs).toBeLessThan(MAX_WITHOUT_VALUES_MS.deleted);
  });

  test("takes a rotated key over without a new pod", async () => {
    const installed = await install("rotated");
    const before = await uidOf(installed);
    const patch = JSON.stringify({ stringData: { "api-key": "the-next-key" } });
    await installed.kubectl(["patch", "secret", "prtg-hq", `--patch=${patch}`]);
    // From now on the monitoring server knows the new one only.
    await installed.kubectl(["rollout", "restart", "deployment/stand-ins"]);
    await installed.kubectl(["rollout", "status", "deployment/stand-ins", "--timeout=60s"]);
    const restarted = Date.now() / 1_000;
    // By then what the old one had answered has been told.
    await vi.waitFor(async () => {
      const [page = ""] = await installed.pagesWithServers(1);
      const found =
        /^prtg_exporter_collector_last_success_timestamp_seconds\{[^}]*collector="status"[^}]*\} (\S+)$/m.exec(page);
      expect(Number(found?.[1])).toBeGreaterThan(restarted + 10);
    }, LIMIT);
    expect(await uidOf(installed)).toBe(before);
  });

  test("takes a changed configuration over without a new pod, where it is told to", async () => {
    const installed = await install("reload", "--set=autoReload.enabled=true", "--set=autoReload.interval=2s");
    const before = await uidOf(installed);
    const named = /^prtg_sensor_status\{[^}]*device=/m;
    expect((await installed.pagesWithServers(1)).join()).toMatch(named);
    await installed.upgrade(WITH_IDS);
    await vi.waitFor(async () => {
      expect((await installed.pagesWithServers(1)).join()).not.toMatch(named);
    }, LIMIT);
    expect(await uidOf(installed)).toBe(before);
  });
});
