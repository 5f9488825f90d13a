import { copyFileSync, cpSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { loadAll } from "js-yaml";
import { expect, test } from "vitest";
import { z } from "zod";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { CHART, renderChart } from "./support/helm.ts";
import { describeWithPrograms } from "./support/programs.ts";
import { runProgram } from "./support/run-program.ts";

const OLD = fileURLToPath(new URL("../fixtures/upgrades/0.1.0/chart/", import.meta.url));
const CASES = readdirSync(path.join(OLD, "rendered")).map((file) => path.basename(file, ".yaml"));

const manifest = z.looseObject({
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), namespace: z.string().optional() }),
  spec: z.looseObject({}).optional(),
});
type Manifest = z.infer<typeof manifest>;

/** Fields that an upgrade cannot change, or that others refer to. */
const LASTING: Readonly<Record<string, readonly string[]>> = {
  Deployment: ["selector"],
  PersistentVolumeClaim: ["accessModes", "storageClassName"],
  Service: ["selector", "ports", "clusterIP"],
  StatefulSet: ["selector", "serviceName", "podManagementPolicy", "volumeClaimTemplates"],
};

describeWithPrograms(["helm"], "the Helm chart after that of 0.1.0", ({ helm }) => {
  const args = (name: string) => [`--values=${OLD}${name}-values.yaml`];

  /** Users may have copied all default values. */
  const sources = CASES.flatMap((name) => [
    { name, title: name, values: args(name) },
    { name, title: `${name} and all default values`, values: [`--values=${OLD}values.yaml`, ...args(name)] },
  ]);

  test.each(sources)("keeps names and lasting fields with the values $title", async ({ name, values }) => {
    const before = manifestsIn(readFileSync(path.join(OLD, "rendered", `${name}.yaml`), "utf8"));
    const after = manifestsIn((await renderChart(helm, values)).text);
    expect(before.size).toBeGreaterThan(0);
    expect([...before.keys()].filter((each) => !after.has(each))).toEqual([]);
    for (const [each, { kind, spec }] of before) {
      expect(lastingOf(kind, after.get(each)?.spec), each).toEqual(lastingOf(kind, spec));
    }
  });

  test("refuses --reuse-values, which takes the default values of the old chart", async () => {
    const chart = temporaryFolder({});
    cpSync(CHART, chart, { recursive: true });
    copyFileSync(path.join(OLD, "values.yaml"), path.join(chart, "values.yaml"));
    for (const name of CASES) {
      const { code, stderr } = await runProgram(helm, ["template", "prtg", chart, ...args(name)], "");
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("use --reset-then-reuse-values") });
    }
  });
});

function manifestsIn(text: string): ReadonlyMap<string, Manifest> {
  const manifests = loadAll(text).flatMap((document) => (document === null ? [] : manifest.parse(document)));
  return new Map(
    manifests.map((each) => [`${each.kind}/${each.metadata.namespace ?? ""}/${each.metadata.name}`, each]),
  );
}

function lastingOf(kind: string, spec: Manifest["spec"]): unknown {
  return LASTING[kind]?.map((field) => [field, spec?.[field]]);
}
