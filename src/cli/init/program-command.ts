import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { Environment } from "../../config/environment.ts";

/** The start of the user's next commands: a clone is not in the `PATH`. */
export function programCommand(env: Environment, directory: string, module = import.meta.url): string {
  if (!module.endsWith(".ts")) return "prtg-exporter";
  if (env.npm_lifecycle_event === "start") return "npm start --";
  return `node ${relative(directory, fileURLToPath(new URL("../../../bin/prtg-exporter.js", module)))}`;
}
