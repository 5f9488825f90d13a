import { readFileSync } from "node:fs";
import { load } from "js-yaml";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { CASES, valuesFile } from "../real/support/helm.ts";
import { describeWithPrograms } from "../real/support/programs.ts";
import { CLUSTER_PROGRAMS } from "./support/kubernetes-node.ts";
import { RELEASE, Release } from "./support/release.ts";
import { useCluster } from "./support/start-node.ts";

const withServers = z.object({ config: z.object({ servers: z.array(z.unknown()) }) });
const words = z.array(z.string());
const WORKLOAD = "deployment/prtg-prtg-exporter";
const KINDS = "pods,services,deployments,statefulsets,persistentvolumeclaims,secrets,configmaps,servicemonitors";
/** Pods end after their owners. */
const END_LIMIT = { timeout: 60_000, interval: 500 };

describeWithPrograms([...CLUSTER_PROGRAMS], "Helm chart in a cluster", (programs) => {
  const cluster = useCluster(programs);

  describe.each(["helm", "helm-3"] as const)("by %s", (helm) => {
    test.each(CASES)("installs, tests, upgrades and uninstalls the chart with the values %s", async (name) => {
      const release = await cluster.install({ helm, name, title: `${helm}-${name}` });
      await release.pagesWithServers(serversOf(name));
      const manifest = await release.helm(["get", "manifest", RELEASE]);
      await release.kubectl(["get", "--filename=-"], { input: manifest });
      await release.helm(["test", RELEASE, "--logs", "--timeout=60s"]);

      // Applying it again restarts no pod.
      const before = await release.pods();
      expect(before.map(({ restarts }) => restarts)).toEqual(before.map(() => 0));
      await release.upgrade();
      const uids = (each: typeof before) => each.map(({ uid }) => uid).toSorted();
      expect(uids(await release.pods())).toEqual(uids(before));

      await release.helm(["uninstall", RELEASE, "--wait", "--timeout=120s"]);
      const { namespace } = release;
      await vi.waitFor(async () => {
        const left = await cluster.node.kubectl(["get", KINDS, "--output=name", `--namespace=${namespace}`]);
        expect(left.trim().split("\n").filter(isOurs)).toEqual([]);
      }, END_LIMIT);
    });
  });

  test("check tests the Lease with the rights of the chart and does not change it", async () => {
    const release = await cluster.install({ name: "standby", title: "standby-check" });
    await release.pagesWithServers(1);
    const serving = await release.kubectl([
      "get",
      WORKLOAD,
      "--output=jsonpath={.spec.template.spec.containers[0].args}",
    ]);
    const flags = words.parse(JSON.parse(serving)).filter((arg) => /^--(config\.file|leader-elect)/.test(arg));
    expect(flags).toContain("--leader-elect");
    const holder = () => release.kubectl(["get", "leases", "--output=jsonpath={.items[*].spec.holderIdentity}"]);
    const before = await holder();
    const node = ["/usr/local/bin/node", "/opt/prtg-exporter/dist/main.js"];
    const found = await release.kubectl(["exec", WORKLOAD, "--", ...node, "check", ...flags]);
    expect(found).toMatch(/^leader election +lease +ok +standby-check\/prtg-prtg-exporter: prtg-.* leads$/m);
    expect(found).toMatch(/^leader election +lease rights +ok /m);
    expect(found).toMatch(/^leader election +API server clock +ok /m);
    expect(await holder()).toBe(before);
    await release.kubectl(["delete", "rolebinding", "prtg-prtg-exporter"]);
    const refused = release.kubectl(["exec", WORKLOAD, "--", ...node, "check", ...flags]);
    await expect(refused).rejects.toThrow(/leader election +lease +FAILED .*\(HTTP 403\).*\[LEASE_FORBIDDEN\]/);
  });

  test("the cluster rejects a pod that runs as root", async () => {
    const { node } = cluster;
    const namespace = await node.createNamespace("refusals");
    const pod = ["run", "root", "--image=example.com/root", `--namespace=${namespace}`];
    await expect(node.kubectl(pod)).rejects.toThrow(/restricted/);
    await node.kubectl(["delete", "namespace", namespace, "--timeout=120s"]);
  });

  test("the installation fails if a pod does not become ready", async () => {
    const { node } = cluster;
    const wrong = ["--set=image.tag=of-no-image", "--timeout=10s"];
    const title = "without-image";
    const installed = Release.install(node, { name: "minimal", title, flags: wrong });
    await expect(installed).rejects.toThrow(/of-no-image/);
    await node.kubectl(["delete", "namespace", title, "--timeout=120s"]);
  });
});

/** A Secret's configuration names one. */
function serversOf(name: string): number {
  const values: unknown = load(readFileSync(valuesFile(name), "utf8"));
  return withServers.safeParse(values).data?.config.servers.length ?? 1;
}

/** Kubernetes' own objects, and the trial pod, whose log may be useful. */
function isOurs(name: string): boolean {
  return name !== "" && name !== "configmap/kube-root-ca.crt" && !/^pod\/.*-test$/.test(name);
}
