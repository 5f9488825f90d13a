import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { startAnsweringServer } from "./answering-server.ts";
import { startInBackground } from "./background-program.ts";

/** Alertmanager's webhook format. */
export interface Notification {
  readonly receiver: string;
  readonly status: "firing" | "resolved";
  readonly groupLabels: Readonly<Record<string, string>>;
  readonly alerts: readonly {
    readonly status: "firing" | "resolved";
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
  }[];
}

export interface Alertmanager {
  /** host:port, for Prometheus. */
  readonly address: string;
  /** All receivers, oldest first. */
  readonly notifications: readonly Notification[];
  log(): string;
  stop(): Promise<void>;
}

const START_LIMIT_MS = 60_000;

/** @param configuration gets the webhook's address, returns YAML */
export async function startAlertmanager(
  binary: string,
  configuration: (webhook: string) => string,
): Promise<Alertmanager> {
  const folder = await mkdtemp(path.join(tmpdir(), "prtg-exporter-alertmanager-"));
  const notifications: Notification[] = [];
  const webhook = await startAnsweringServer(async ({ body }) => {
    notifications.push(JSON.parse(body.toString()));
    return { status: 200 };
  });
  const file = path.join(folder, "alertmanager.yml");
  await writeFile(file, configuration(webhook.url));
  const program = startInBackground(binary, [
    `--config.file=${file}`,
    `--storage.path=${path.join(folder, "data")}`,
    "--web.listen-address=127.0.0.1:0",
    // A cluster would need an address and wait for peers.
    "--cluster.listen-address=",
  ]);
  const stop = async () => {
    await program.stop("SIGKILL");
    await webhook.close();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const [, address = ""] = await program.waitForLog(/msg="Listening on" address=(\S+)/, START_LIMIT_MS);
    return { address, notifications, log: program.log, stop };
  } catch (error) {
    await stop();
    throw new Error(`Alertmanager did not start: ${String(error)}\n${program.log()}`, { cause: error });
  }
}
