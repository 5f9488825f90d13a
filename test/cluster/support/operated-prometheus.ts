import { expect, vi } from "vitest";
import { z } from "zod";
import type { ProgramName } from "../../real/support/program-paths.ts";
import type { KubernetesNode } from "./kubernetes-node.ts";
import type { Release } from "./release.ts";

export const OPERATOR_PROGRAMS = [
  ...(["prometheus-operator", "prometheus-config-reloader", "prometheus-kubernetes"] as const),
] satisfies ProgramName[];
type OperatorPrograms = Readonly<Record<(typeof OPERATOR_PROGRAMS)[number], string>>;

const RELOADER_IMAGE = "operator.tests/prometheus-config-reloader:1";
/** The operator chooses features by this tag. */
const PROMETHEUS_IMAGE = "operator.tests/prometheus:v3.5.0";
const NAME = "tests";
const TARGET_LIMIT = { timeout: 180_000, interval: 1_000 };

const targets = z.object({
  data: z.object({
    activeTargets: z.array(
      z.object({ health: z.string(), lastError: z.string(), scrapeUrl: z.string(), scrapePool: z.string() }),
    ),
  }),
});
const rules = z.object({
  data: z.object({ groups: z.array(z.object({ rules: z.array(z.object({ name: z.string(), health: z.string() })) })) }),
});
const podAddress = z.object({ status: z.object({ podIP: z.string() }) });
type OperatedTarget = z.infer<typeof targets>["data"]["activeTargets"][number];

const FETCH = `const answer = await fetch(process.argv[1]);
if (!answer.ok) throw new Error(String(answer.status));
process.stdout.write(await answer.text());`;

export async function startOperator(node: KubernetesNode, programs: OperatorPrograms): Promise<void> {
  const reloader = programs["prometheus-config-reloader"];
  await node.addImage({ name: RELOADER_IMAGE, program: reloader, entrypoint: "/bin/prometheus-config-reloader" });
  const prometheus = programs["prometheus-kubernetes"];
  await node.addImage({ name: PROMETHEUS_IMAGE, program: prometheus, entrypoint: "/bin/prometheus" });
  node.startProgram(programs["prometheus-operator"], [`--prometheus-config-reloader=${RELOADER_IMAGE}`]);
}

/** The operator runs and configures it. */
export class OperatedPrometheus {
  readonly #node: KubernetesNode;
  readonly #namespace: string;

  private constructor(node: KubernetesNode, namespace: string) {
    this.#node = node;
    this.#namespace = namespace;
  }

  static async start(node: KubernetesNode, { namespace }: Release): Promise<OperatedPrometheus> {
    await node.apply(objects(namespace));
    return new OperatedPrometheus(node, namespace);
  }

  /** All scraped without errors. */
  async targetsUp(count: number): Promise<OperatedTarget[]> {
    return await vi.waitFor(async () => {
      const { activeTargets } = targets.parse(await this.#ask("targets?state=active")).data;
      expect(activeTargets.map(({ health, lastError }) => ({ health, lastError }))).toEqual(
        Array.from({ length: count }, () => ({ health: "up", lastError: "" })),
      );
      return activeTargets;
    }, TARGET_LIMIT);
  }

  async rules(): Promise<string[]> {
    const { data } = rules.parse(await this.#ask("rules"));
    return data.groups.flatMap((group) => group.rules.map(({ name }) => name));
  }

  async #ask(resource: string): Promise<unknown> {
    const pod = await this.#node.get(["pod", `prometheus-${NAME}-0`, `--namespace=${this.#namespace}`]);
    const { status } = podAddress.parse(pod);
    return JSON.parse(await this.#node.evaluate(FETCH, [`http://${status.podIP}:9090/api/v1/${resource}`]));
  }
}

function objects(namespace: string): unknown[] {
  const metadata = { name: "prometheus", namespace };
  const everything = { matchLabels: {} };
  return [
    { apiVersion: "v1", kind: "ServiceAccount", metadata },
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "RoleBinding",
      metadata,
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
      subjects: [{ kind: "ServiceAccount", ...metadata }],
    },
    {
      apiVersion: "monitoring.coreos.com/v1",
      kind: "Prometheus",
      metadata: { name: NAME, namespace },
      spec: {
        image: PROMETHEUS_IMAGE,
        version: PROMETHEUS_IMAGE.split(":").at(-1),
        serviceAccountName: metadata.name,
        ...{ serviceMonitorSelector: everything, podMonitorSelector: everything },
        ...{ scrapeConfigSelector: everything, ruleSelector: everything },
        scrapeInterval: "5s",
        evaluationInterval: "5s",
        securityContext: {
          ...{ runAsNonRoot: true, runAsUser: 65_534, fsGroup: 65_534 },
          seccompProfile: { type: "RuntimeDefault" },
        },
      },
    },
  ];
}
