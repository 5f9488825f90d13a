import { resolve } from "node:path";

/** The service of the packages reads it as user `prtg-exporter`. */
const SERVICE_FILE = "/etc/prtg-exporter/prtg-exporter.yaml";
const PORT = 9705;

export interface Written {
  /** The configuration. */
  readonly file: string;
  /** All written files. */
  readonly written: readonly string[];
  /** Name of this machine. */
  readonly host: string;
  readonly platform: NodeJS.Platform;
  readonly isRoot: boolean;
}

/** The next steps of the user. */
export function conclusion({ file, written, host, platform, isRoot }: Written): string {
  // Windows has no modes: the directory decides.
  const rights = platform === "win32" ? "" : ", readable only for your user";
  const check = `prtg-exporter check --config.file ${argument(file)}`;
  const next =
    isRoot && resolve(file) === SERVICE_FILE
      ? [
          `chown prtg-exporter ${written.map(argument).join(" ")}`,
          `runuser -u prtg-exporter -- ${check}`,
          "systemctl enable --now prtg-exporter",
        ]
      : [check, `prtg-exporter serve --config.file ${argument(file)}`];
  return `
Wrote ${written.join(" and ")}${rights}.

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
