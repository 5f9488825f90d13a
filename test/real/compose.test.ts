import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { describeWithPrograms } from "./support/programs.ts";
import { runProgram } from "./support/run-program.ts";

const FILE = fileURLToPath(new URL("../../deploy/compose/compose.yaml", import.meta.url));

const service = z.object({
  image: z.string(),
  environment: z.record(z.string(), z.string()).default({}),
  read_only: z.boolean().default(false),
  cap_drop: z.array(z.string()).default([]),
  ports: z.array(z.object({ host_ip: z.string().default("") })).default([]),
});

const project = z.object({ services: z.record(z.string(), service) });

type ComposeService = z.infer<typeof service>;

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PINS = path.join(ROOT, "test/real/programs");

describeWithPrograms(["compose-reader"], "deploy/compose", (paths) => {
  let services: Readonly<Record<string, ComposeService>>;
  const service = (name: string): ComposeService => {
    const found = services[name];
    if (found === undefined) throw new Error(`no service ${name}`);
    return found;
  };

  beforeAll(async () => {
    services = await readComposeProject(paths["compose-reader"]);
  });

  test("is valid for Docker Compose", () => {
    expect(Object.keys(services).sort()).toEqual(["exporter", "grafana", "otel-collector", "prometheus", "simulator"]);
  });

  test("accepts a server of the user", async () => {
    const env = { PRTG_URL: "https://prtg.example.com:1616", PRTG_API_KEY: "a key" };
    const { exporter } = await readComposeProject(paths["compose-reader"], env);
    expect(exporter?.environment).toMatchObject(env);
  });

  test("uses the versions of the tests", () => {
    const modules = readFileSync(path.join(PINS, "go.mod"), "utf8");
    const [, major, minor, patch] = /prometheus\/prometheus v0\.(\d)(\d\d)\.(\d+)/.exec(modules) ?? [];
    expect(service("prometheus").image).toBe(`prom/prometheus:v${major}.${Number(minor)}.${patch}`);
    const builder = readFileSync(path.join(PINS, "collector/builder.yaml"), "utf8");
    const [, collector] = /^ {2}version: (.*)$/m.exec(builder) ?? [];
    expect(service("otel-collector").image).toBe(`otel/opentelemetry-collector-contrib:${collector}`);
  });

  test("opens no network port and keeps no unnecessary right", () => {
    for (const { ports, cap_drop } of Object.values(services)) {
      expect(cap_drop).toEqual(["ALL"]);
      for (const { host_ip } of ports) expect(host_ip).toBe("127.0.0.1");
    }
    expect([service("exporter").read_only, service("simulator").read_only]).toEqual([true, true]);
  });
});

/** deploy/compose/compose.yaml in Docker Compose's view. */
async function readComposeProject(
  reader: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Readonly<Record<string, ComposeService>>> {
  const { code, stdout, stderr } = await runProgram(reader, [FILE], "", 60_000, { PATH: process.env.PATH, ...env });
  if (code !== 0) throw new Error(stderr);
  return project.parse(JSON.parse(stdout)).services;
}
