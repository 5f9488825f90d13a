import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseAllDocuments } from "yaml";
import { z } from "zod";
import { runProgram } from "./run-program.ts";

export const CHART = fileURLToPath(new URL("../../../deploy/helm/prtg-exporter/", import.meta.url));

/** Values files for cases that are met in practice, by name. */
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

export type Manifest = z.infer<typeof manifest>;

/** What the chart makes of the values, as text and as objects. */
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
  const objects = parseAllDocuments(stdout)
    .map((document): unknown => document.toJSON())
    .filter((document) => document !== null)
    .map((document) => manifest.parse(document));
  return { text: stdout, objects };
}
