import { relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Environment } from "../../config/environment.ts";

/** The service of the packages reads it as user `prtg-exporter`. */
const SERVICE_FILE = "/etc/prtg-exporter/prtg-exporter.yaml";
const PORT = 9705;

export interface Written {
  /** The configuration. */
  readonly file: string;
  /** All written files. */
  readonly written: readonly string[];
  /** An existing file with the key. */
  readonly keyFile: string | undefined;
  /** Like `prtg-exporter` or `npm start --`. */
  readonly program: string;
  /** Name of this machine. */
  readonly host: string;
  readonly platform: NodeJS.Platform;
  readonly isRoot: boolean;
}

/** The next steps of the user. */
export function conclusion({ file, written, keyFile, program, host, platform, isRoot }: Written): string {
  // Windows has no modes: the directory decides.
  const rights = platform === "win32" ? "" : ", readable only for your user";
  const check = `${program} check --config.file ${argument(file)}`;
  const isService = isRoot && resolve(file) === SERVICE_FILE;
  const next = isService
    ? [
        `chown prtg-exporter ${written.map(argument).join(" ")}`,
        `runuser -u prtg-exporter -- ${check}`,
        "systemctl enable --now prtg-exporter",
      ]
    : [check, `${program} serve --config.file ${argument(file)}`];
  const hint =
    isService && keyFile !== undefined ? `\nThe service runs as user prtg-exporter, which must read ${keyFile}.\n` : "";
  return `
Wrote ${written.join(" and ")}${rights}.
${hint}
Add this job to prometheus.yml:

scrape_configs:
  - job_name: prtg
    scrape_interval: 30s
    static_configs:
      - targets: ["${host}:${PORT}"]

Next:
${next.map((command) => `  ${command}`).join("\n")}`;
}

/** All shells, also of Windows, accept double quotes. */
function argument(path: string): string {
  return /^[\w./\\:~-]+$/.test(path) ? path : `"${path}"`;
}

/** The start of the user's next commands: a clone is not in the `PATH`. */
export function programCommand(env: Environment, directory: string, module = import.meta.url): string {
  if (!module.endsWith(".ts")) return "prtg-exporter";
  if (env.npm_lifecycle_event === "start") return "npm start --";
  return `node ${relative(directory, fileURLToPath(new URL("../../../bin/prtg-exporter.js", module)))}`;
}
