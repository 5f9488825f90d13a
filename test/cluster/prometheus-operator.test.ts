import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { describeWithPrograms } from "../real/support/programs.ts";
import { CLUSTER_PROGRAMS, type KubernetesNode } from "./support/kubernetes-node.ts";
import { OPERATOR_PROGRAMS, OperatedPrometheus, startOperator } from "./support/operated-prometheus.ts";
import { Release } from "./support/release.ts";
import { startNode } from "./support/start-node.ts";

/** Values that have an object of the operator, or are given one. */
const MONITORED = [
  // Its certificate is for this namespace.
  { what: "a ServiceMonitor with TLS and a password", name: "everything", title: "monitoring", flags: [] },
  { what: "a ServiceMonitor", name: "minimal", title: "service-monitor", flags: ["--set=serviceMonitor.enabled=true"] },
  { what: "a PodMonitor", name: "minimal", title: "pod-monitor", flags: ["--set=podMonitor.enabled=true"] },
  { what: "a ScrapeConfig", name: "minimal", title: "scrape-config", flags: ["--set=scrapeConfig.enabled=true"] },
  {
    what: "a PodMonitor that is scraped more often than a scrape may take by default",
    name: "minimal",
    title: "often",
    flags: ["--set=podMonitor.enabled=true", "--set=podMonitor.interval=2s"],
  },
];

describeWithPrograms([...CLUSTER_PROGRAMS, ...OPERATOR_PROGRAMS], "with the Prometheus operator", (programs) => {
  let node: KubernetesNode;
  let release: Release | undefined;

  beforeAll(async () => {
    node = await startNode(programs);
    await startOperator(node, programs);
  });

  afterEach(async () => {
    await release?.remove();
    release = undefined;
  });

  afterAll(() => node?.close());

  test.each(MONITORED)("$what is scraped", async ({ name, title, flags }) => {
    release = await Release.install(node, { name, title, flags });
    const prometheus = await OperatedPrometheus.start(node, release);
    await prometheus.targetsUp(1);
  });

  test("rules of the chart are evaluated", async () => {
    const flags = ["--set=serviceMonitor.enabled=true", "--set=prometheusRule.enabled=true"];
    release = await Release.install(node, { name: "minimal", title: "rules", flags });
    const prometheus = await OperatedPrometheus.start(node, release);
    await prometheus.targetsUp(1);
    expect(await prometheus.rules()).toContain("PrtgSensorDown");
  });
});
