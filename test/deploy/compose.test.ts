import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { CORE_SCHEMA, load, mergeTag } from "js-yaml";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { loadConfig } from "../../src/config/load.ts";

const FOLDER = fileURLToPath(new URL("../../deploy/compose/", import.meta.url));
const DASHBOARDS = fileURLToPath(new URL("../../deploy/grafana/dashboards/", import.meta.url));

const composeFile = z.object({
  services: z.record(
    z.string(),
    z.object({
      volumes: z.array(z.string()).default([]),
      environment: z.record(z.string(), z.string()).default({}),
      init: z.boolean().default(false),
      ulimits: z.record(z.string(), z.number()).default({}),
    }),
  ),
  volumes: z.record(z.string(), z.null()),
});

const dataSources = z.strictObject({
  apiVersion: z.literal(1),
  datasources: z.array(
    z.strictObject({
      name: z.string(),
      type: z.literal("prometheus"),
      access: z.literal("proxy"),
      url: z.url(),
      isDefault: z.boolean(),
      jsonData: z.strictObject({ timeInterval: z.string() }),
    }),
  ),
});

const providers = z.strictObject({
  apiVersion: z.literal(1),
  providers: z.array(
    z.strictObject({
      name: z.string(),
      folder: z.string(),
      type: z.literal("file"),
      options: z.strictObject({ path: z.string() }),
    }),
  ),
});

const read = (file: string): unknown =>
  load(readFileSync(FOLDER + file, "utf8"), { schema: CORE_SCHEMA.withTags(mergeTag) });
const compose = composeFile.parse(read("compose.yaml"));

/** Container paths of this repository's files. */
function mounts(service: string): ReadonlyMap<string, string> {
  const volumes = compose.services[service]?.volumes ?? [];
  return new Map(volumes.map((text) => text.split(":")).map(([source = "", target = ""]) => [target, source]));
}

/** As Compose does it: `${NAME:-default}`. */
function environmentWith(given: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(compose.services.exporter?.environment ?? {});
  const fill = (text: string) =>
    text.replace(/\$\{(\w+):-(.*)\}$/, (_, name: string, fallback: string) => given[name] || fallback);
  return Object.fromEntries(entries.map(([name, text]) => [name, fill(text)]));
}

async function serverWith(given: Readonly<Record<string, string>>) {
  const env = environmentWith(given);
  const file = `${FOLDER}prtg-exporter.yaml`;
  const { config } = await loadConfig({ file, env, readFile: async (path) => readFileSync(path, "utf8") });
  return config.servers;
}

describe("deploy/compose", () => {
  test("reads the simulator by default", async () => {
    expect(await serverWith({})).toMatchObject([{ name: "simulator", url: "http://simulator:1615" }]);
  });

  test("reads an own server under its name and with its certificate", async () => {
    const PRTG_FINGERPRINTS = "AB".repeat(32);
    const own = { PRTG_NAME: "hq", PRTG_URL: "https://prtg.example.com:1616", PRTG_API_KEY: "key", PRTG_FINGERPRINTS };
    expect(await serverWith({ ...own, PRTG_SERVER_NAME: "core" })).toMatchObject([
      {
        name: "hq",
        url: "https://prtg.example.com:1616",
        tls: { serverName: "core", fingerprints: ["ab".repeat(32)] },
      },
    ]);
  });

  test("prevents core dumps, which contain keys", () => {
    expect(compose.services.exporter?.ulimits).toEqual({ core: 0 });
  });

  test.each(Object.keys(compose.services))("mounts only existing files into %s", (service) => {
    for (const source of mounts(service).values()) {
      expect(source.startsWith(".") ? existsSync(FOLDER + source) : Object.keys(compose.volumes).includes(source)).toBe(
        true,
      );
    }
  });

  test("configures Grafana with its Prometheus", () => {
    const { datasources } = dataSources.parse(read("grafana/provisioning/datasources/prometheus.yaml"));
    expect(datasources.map(({ url, isDefault }) => ({ host: new URL(url).host, isDefault }))).toEqual([
      { host: "prometheus:9090", isDefault: true },
    ]);
  });

  test("gives Grafana the scrape interval", () => {
    const { datasources } = dataSources.parse(read("grafana/provisioning/datasources/prometheus.yaml"));
    const { global } = z
      .looseObject({ global: z.looseObject({ scrape_interval: z.string() }) })
      .parse(read("prometheus.yml"));
    expect(datasources[0]?.jsonData.timeInterval).toBe(global.scrape_interval);
  });

  test("provisions every dashboard and opens one of them", () => {
    const [provider] = providers.parse(read("grafana/provisioning/dashboards/prtg-exporter.yaml")).providers;
    expect(mounts("grafana").get(provider?.options.path ?? "")).toBe("../grafana/dashboards");
    const home = compose.services.grafana?.environment.GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH ?? "";
    const files = readdirSync(DASHBOARDS).map((file) => `${provider?.options.path}/${file}`);
    expect(files).toContain(home);
  });
});

test("the exporter is not process 1, which loses signals during loading", () => {
  expect(compose.services.exporter?.init).toBe(true);
});
