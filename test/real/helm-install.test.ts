import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { z } from "zod";
import { CASES, CHART, renderChart, valuesFile } from "./support/helm.ts";
import { type KubernetesApi, startKubernetesApi } from "./support/kubernetes.ts";
import { describeWithPrograms } from "./support/programs.ts";
import { runProgram } from "./support/run-program.ts";

/** Where the API server keeps each kind. */
const RESOURCES: Readonly<Record<string, string>> = {
  ConfigMap: "api/v1/namespaces/NAMESPACE/configmaps",
  Deployment: "apis/apps/v1/namespaces/NAMESPACE/deployments",
  HTTPRoute: "apis/gateway.networking.k8s.io/v1/namespaces/NAMESPACE/httproutes",
  Ingress: "apis/networking.k8s.io/v1/namespaces/NAMESPACE/ingresses",
  NetworkPolicy: "apis/networking.k8s.io/v1/namespaces/NAMESPACE/networkpolicies",
  PersistentVolumeClaim: "api/v1/namespaces/NAMESPACE/persistentvolumeclaims",
  PodDisruptionBudget: "apis/policy/v1/namespaces/NAMESPACE/poddisruptionbudgets",
  PodMonitor: "apis/monitoring.coreos.com/v1/namespaces/NAMESPACE/podmonitors",
  PrometheusRule: "apis/monitoring.coreos.com/v1/namespaces/NAMESPACE/prometheusrules",
  ScrapeConfig: "apis/monitoring.coreos.com/v1alpha1/namespaces/NAMESPACE/scrapeconfigs",
  Secret: "api/v1/namespaces/NAMESPACE/secrets",
  Service: "api/v1/namespaces/NAMESPACE/services",
  ServiceAccount: "api/v1/namespaces/NAMESPACE/serviceaccounts",
  ServiceMonitor: "apis/monitoring.coreos.com/v1/namespaces/NAMESPACE/servicemonitors",
  StatefulSet: "apis/apps/v1/namespaces/NAMESPACE/statefulsets",
  VerticalPodAutoscaler: "apis/autoscaling.k8s.io/v1/namespaces/NAMESPACE/verticalpodautoscalers",
};

/** Groups whose kinds the API server is taught. */
const CUSTOM_GROUPS = ["monitoring.coreos.com", "gateway.networking.k8s.io", "autoscaling.k8s.io"];

const found = z.object({ metadata: z.object({ name: z.string(), annotations: z.record(z.string(), z.string()) }) });
const workload = z.object({ spec: z.object({ template: z.object({ spec: z.looseObject({}) }) }) });

const HELM_LIMIT_MS = 120_000;

const PROGRAMS = ["helm", "kube-apiserver", "kubernetes-api", "etcd"] as const;

describeWithPrograms([...PROGRAMS], "the Helm chart in Kubernetes", (paths) => {
  const folder = mkdtempSync(path.join(tmpdir(), "prtg-exporter-kubernetes-"));
  let api: KubernetesApi;

  beforeAll(async () => {
    api = await startKubernetesApi(paths, folder);
    for (const definition of customResources(paths["kubernetes-api"])) {
      await api.create("apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition);
    }
    const isCustom = (resource: string) => CUSTOM_GROUPS.some((group) => resource.includes(group));
    for (const resource of Object.values(RESOURCES).filter(isCustom)) {
      await api.waitFor(resource.replace("namespaces/NAMESPACE/", ""));
    }
  });

  afterAll(async () => {
    await api.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const helm = async (...args: string[]) => {
    // What is known of an API server is kept by its port, for hours: another one may have had this port.
    const env = { ...process.env, KUBECACHEDIR: path.join(folder, "cache"), HOME: folder };
    const command = [...args, `--kubeconfig=${api.kubeconfig}`];
    const { code, stdout, stderr } = await runProgram(paths.helm, command, "", HELM_LIMIT_MS, env);
    return { code, stdout, stderr };
  };

  describe.each(CASES)("with the values %s", (name) => {
    test("is installed, read back, and upgraded", async () => {
      const namespace = await createNamespace(api, name);
      const settings = [`--namespace=${namespace}`, `--values=${valuesFile(name)}`];
      const installed = await helm("install", "prtg", CHART, ...settings, "--wait=false");
      expect({ code: installed.code, stderr: withoutNotice(installed.stderr) }).toEqual({ code: 0, stderr: "" });
      expect(installed.stdout).toContain("STATUS: deployed");

      const { objects } = await renderChart(paths.helm, settings);
      const kept = objects.filter(({ kind }) => kind !== "Pod");
      for (const { kind, metadata } of kept) {
        const read = found.parse(await api.get(`${collection(kind, namespace)}/${metadata.name}`));
        expect(read.metadata.name).toBe(metadata.name);
      }

      // A second time changes nothing: no field is refused, defaulted into a conflict, or immutable.
      const upgraded = await helm("upgrade", "prtg", CHART, ...settings, "--wait=false");
      expect({ code: upgraded.code, stderr: withoutNotice(upgraded.stderr) }).toEqual({ code: 0, stderr: "" });
    });

    test("has pods that the policy «restricted» lets in", async () => {
      const namespace = await createNamespace(api, name);
      const { objects } = await renderChart(paths.helm, [`--namespace=${namespace}`, `--values=${valuesFile(name)}`]);
      // Which the pods name.
      for (const object of objects.filter(({ kind }) => kind === "ServiceAccount")) {
        await api.create(collection(object.kind, namespace), JSON.stringify(object));
      }
      for (const object of objects) {
        const template = object.kind === "Pod" ? { spec: object.spec } : templateOf(object);
        if (template === undefined) continue;
        const pod = { ...template, apiVersion: "v1", kind: "Pod", metadata: { generateName: "try-" } };
        await api.create(`api/v1/namespaces/${namespace}/pods`, JSON.stringify(pod));
      }
    });
  });

  test("would not let in a pod that runs as root", async () => {
    const pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "root" },
      spec: { containers: [{ name: "root", image: "example.com/root" }] },
    };
    const namespace = await createNamespace(api, "refusals");
    const refused = api.create(`api/v1/namespaces/${namespace}/pods`, JSON.stringify(pod));
    await expect(refused).rejects.toThrow(/restricted/);
  });
});

let namespaces = 0;

/** One for every test and every repetition of it: a release of Helm's is there once. Resolves with its name. */
async function createNamespace(api: KubernetesApi, title: string): Promise<string> {
  const name = `${title}-${++namespaces}`;
  const labels = { "pod-security.kubernetes.io/enforce": "restricted" };
  await api.create(
    "api/v1/namespaces",
    JSON.stringify({ apiVersion: "v1", kind: "Namespace", metadata: { name, labels } }),
  );
  // The controller that makes one in each namespace does not run here.
  const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "default" } };
  await api.create(`api/v1/namespaces/${name}/serviceaccounts`, JSON.stringify(account));
  return name;
}

function collection(kind: string, namespace: string): string {
  const resource = RESOURCES[kind];
  if (resource === undefined) throw new Error(`where are objects of the kind ${kind}?`);
  return resource.replace("NAMESPACE", namespace);
}

function templateOf(object: unknown): { spec: unknown } | undefined {
  return workload.safeParse(object).data?.spec.template;
}

/** Helm 4 would have `hookOnly` where Helm 3 has `false`. */
function withoutNotice(stderr: string): string {
  return stderr.replace(/^.*--wait=false is deprecated.*\n/m, "");
}

/** The CRDs of the kinds that the chart makes. */
function customResources(folder: string): string[] {
  const files = readdirSync(folder).filter((file) => file.endsWith(".yaml"));
  const definitions = files.flatMap((file) => parseAllDocuments(readFileSync(path.join(folder, file), "utf8")));
  return definitions.map(String).filter((definition) => {
    const kind = /^ {4}kind: (\w+)$/m.exec(definition)?.[1] ?? "";
    return kind in RESOURCES;
  });
}
