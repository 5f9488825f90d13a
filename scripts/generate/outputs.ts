import { readFile } from "node:fs/promises";
import { z } from "zod";
import { reportSchema } from "../../src/cli/report/format.ts";
import { currentContract } from "../contract/contract.ts";
import { apiCoveragePage } from "./api-coverage-page.ts";
import { commandsPage } from "./commands-page.ts";
import { configurationPage } from "./configuration-page.ts";
import { editorSchemaFile, printJson, serversSchemaFile } from "./editor-schema.ts";
import { errorsPage } from "./errors-page.ts";
import { FIELD_NAMES_FILE, fieldNamesFile } from "./field-names.ts";
import { grafanaAlerts } from "./grafana-alerts.ts";
import { chartFiles } from "./helm-chart.ts";
import { metricsPage } from "./metrics-page.ts";
import { notice } from "./notice.ts";
import type { Output } from "./output.ts";
import { presetsPage } from "./preset-families.ts";
import { sensorKindFiles } from "./sensor-kinds/files.ts";
import { statusPage } from "./status-page.ts";
import { unitsPage } from "./units-page.ts";

export async function generate(root: URL): Promise<Output[]> {
  const { presets, files } = await sensorKindFiles();
  const outputs = [
    ...files,
    { path: "docs/configuration.md", content: configurationPage() },
    { path: "docs/metrics.md", content: metricsPage() },
    { path: "docs/errors.md", content: errorsPage() },
    { path: "docs/commands.md", content: commandsPage() },
    { path: "docs/presets.md", content: await presetsPage(presets) },
    { path: "docs/status.md", content: statusPage() },
    { path: "docs/units.md", content: unitsPage() },
    { path: "docs/api-coverage.md", content: await apiCoveragePage() },
    { path: "docs/server-report.schema.json", content: printJson(reportJsonSchema()) },
    { path: "api/contract.json", content: printJson(await currentContract()) },
    { path: "config/prtg-exporter.schema.json", content: editorSchemaFile() },
    { path: "config/prtg-exporter-servers.schema.json", content: serversSchemaFile() },
    { path: "NOTICE", content: notice() },
  ];
  if ((await contentOf(root, "packages/simulator/api/openapi.yaml")) !== undefined) {
    outputs.push({ path: FIELD_NAMES_FILE, content: await fieldNamesFile(root) });
  }
  if ((await contentOf(root, "deploy/helm/prtg-exporter/values.yaml")) !== undefined) {
    outputs.push(await grafanaAlerts(root), ...(await chartFiles(root)));
  }
  return outputs;
}

export async function outdated(root: URL): Promise<Output[]> {
  const outputs = await generate(root);
  const current = await Promise.all(outputs.map(({ path }) => contentOf(root, path)));
  return outputs.filter(({ content }, index) => content !== current[index]);
}

async function contentOf(root: URL, path: string): Promise<string | undefined> {
  try {
    return await readFile(new URL(path, root), "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

function reportJsonSchema(): object {
  return { title: "Report about servers, by prtg-exporter check --report", ...z.toJSONSchema(reportSchema) };
}
