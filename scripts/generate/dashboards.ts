import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

export const DASHBOARDS_FOLDER = "deploy/grafana/dashboards/";

const FORMATTER = fileURLToPath(new URL("../../node_modules/@biomejs/biome/bin/biome", import.meta.url));

export function dashboardFiles(output: string): ReadonlyMap<string, string> {
  const dashboards: Record<string, unknown> = JSON.parse(output);
  return new Map(Object.entries(dashboards).map(([name, dashboard]) => [name, formatted(name, dashboard)]));
}

function formatted(name: string, dashboard: unknown): string {
  const args = [FORMATTER, "format", `--stdin-file-path=${name}`];
  return execFileSync(process.execPath, args, { input: JSON.stringify(dashboard, null, 2), encoding: "utf8" });
}
