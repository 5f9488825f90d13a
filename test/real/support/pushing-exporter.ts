import { openEvents } from "../../../src/app/event-outputs.ts";
import { openOtlpPush } from "../../../src/app/otlp-preparation.ts";
import { startServing } from "../../../src/cli/serve.ts";
import type { Clock } from "../../../src/lib/clock.ts";
import { TEST_KEY, testContext } from "../../support/simulated-exporter.ts";
import { loadTestConfig } from "../../support/test-config.ts";

interface PushingExporterOptions {
  readonly server: string;
  /** More keys of the server's `limits`. */
  readonly limits?: string;
  /** More YAML sections. */
  readonly settings: string;
  /** Default: a free one. */
  readonly port?: number;
  /** Default: the system clock. */
  readonly clock?: Clock;
}

export interface PushingExporter {
  readonly port: number;
  page(): Promise<string>;
  stop(): Promise<void>;
}

/** In this process. Resolves after a successful first poll. */
export async function startPushingExporter(options: PushingExporterOptions): Promise<PushingExporter> {
  const limits = ["requests_per_second: 1000", ...(options.limits === undefined ? [] : [options.limits])].join(", ");
  const yaml = `servers: [{ name: hq, url: "${options.server}", auth: { api_key: "\${KEY}" }, limits: { ${limits} } }]\n${options.settings}`;
  const config = await loadTestConfig(yaml, TEST_KEY);
  const context = testContext(options.clock);
  const push = await openOtlpPush(config, context, {});
  const web = {
    "web.listenAddress": [{ host: "127.0.0.1", port: options.port ?? 0 }],
    "web.telemetryPath": "/metrics",
  };
  const events = await openEvents(config, context, {});
  const serving = await startServing({ config, flags: web, context, push, events });
  const [url = ""] = serving.web.urls;
  if (!(await serving.firstPoll)) throw new Error("the first poll failed");
  return {
    port: Number(new URL(url).port),
    page: async () => (await fetch(`${url}/metrics`)).text(),
    stop: () => serving.stop(),
  };
}
