import { expect, test } from "vitest";
import { describeWithPrograms } from "../real/support/programs.ts";
import { CLUSTER_PROGRAMS } from "./support/kubernetes-node.ts";
import { OPERATOR_PROGRAMS, OperatedPrometheus, startOperator } from "./support/operated-prometheus.ts";
import { useCluster } from "./support/start-node.ts";

/** With an object of the operator. */
const MONITORED = [
  // The certificate is valid for this namespace.
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

describeWithPrograms([...CLUSTER_PROGRAMS, ...OPERATOR_PROGRAMS], "Prometheus operator", (programs) => {
  const cluster = useCluster(programs, (node) => startOperator(node, programs));

  test.each(MONITORED)("$what is scraped", async ({ name, title, flags }) => {
    const release = await cluster.install({ name, title, flags });
    const prometheus = await OperatedPrometheus.start(cluster.node, release);
    await prometheus.targetsUp(1);
  });

  test("Prometheus evaluates the rules of the chart", async () => {
    const flags = ["--set=serviceMonitor.enabled=true", "--set=prometheusRule.enabled=true"];
    const release = await cluster.install({ name: "minimal", title: "rules", flags });
    const prometheus = await OperatedPrometheus.start(cluster.node, release);
    await prometheus.targetsUp(1);
    expect(await prometheus.rules()).toContain("PrtgSensorDown");
  });
});
