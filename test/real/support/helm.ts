import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { loadAll } from "js-yaml";
import { z } from "zod";
import { runProgram } from "./run-program.ts";

export const CHART = fileURLToPath(new URL("../../../deploy/helm/prtg-exporter/", import.meta.url));

export const CASES: readonly string[] = readdirSync(`${CHART}ci`)
  .filter((file) => file.endsWith("-values.yaml"))
  .map((file) => file.replace("-values.yaml", ""));

export function valuesFile(name: string): string {
  return `${CHART}ci/${name}-values.yaml`;
}

const manifest = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string() }),
  data: z.record(z.string(), z.string()).optional(),
  stringData: z.record(z.string(), z.string()).optional(),
});

type Manifest = z.infer<typeof manifest>;

/** Rendered chart as text and objects. */
export async function renderChart(
  helm: string,
  args: readonly string[],
): Promise<{ text: string; objects: Manifest[] }> {
  const { code, stdout, stderr } = await runProgram(
    helm,
    ["template", "prtg", CHART, "--namespace=monitoring", ...args],
    "",
  );
  if (code !== 0) throw new Error(stderr);
  const objects = loadAll(stdout)
    .filter((document) => document !== null)
    .map((document) => manifest.parse(document));
  return { text: stdout, objects };
}

const named = z.object({ name: z.string().optional() });
const volume = z.object({
  secret: z.object({ secretName: z.string() }).optional(),
  configMap: named.optional(),
  persistentVolumeClaim: z.object({ claimName: z.string() }).optional(),
});
const variable = z.object({
  valueFrom: z.object({ secretKeyRef: named.optional(), configMapKeyRef: named.optional() }).optional(),
});
const podSpec = z.object({
  serviceAccountName: z.string().default("default"),
  imagePullSecrets: z.array(named).default([]),
  containers: z.array(z.object({ env: z.array(variable).default([]) })),
  volumes: z.array(volume).default([]),
});
const withPods = z.object({ spec: z.object({ template: z.object({ spec: podSpec }) }) });

type PodSpec = z.infer<typeof podSpec>;

/** Of a pod or a workload's pods. */
export function podSpecOf(object: Manifest): PodSpec | undefined {
  if (object.kind === "Pod") return podSpec.parse(object.spec);
  return withPods.safeParse(object).data?.spec.template.spec;
}

/** Required objects and image credentials, as `Kind/name`. */
export function referencesIn(spec: PodSpec): string[] {
  const environment = spec.containers.flatMap(({ env }) => env.map(({ valueFrom }) => valueFrom));
  const names = (kind: string, found: readonly (string | undefined)[]) =>
    found.flatMap((name) => (name === undefined ? [] : [`${kind}/${name}`]));
  return [
    ...names("ServiceAccount", spec.serviceAccountName === "default" ? [] : [spec.serviceAccountName]),
    ...names("Secret", [
      ...spec.imagePullSecrets.map(({ name }) => name),
      ...spec.volumes.map(({ secret }) => secret?.secretName),
      ...environment.map((source) => source?.secretKeyRef?.name),
    ]),
    ...names("ConfigMap", [
      ...spec.volumes.map(({ configMap }) => configMap?.name),
      ...environment.map((source) => source?.configMapKeyRef?.name),
    ]),
    ...names(
      "PersistentVolumeClaim",
      spec.volumes.map(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName),
    ),
  ];
}
