import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { compare } from "bcryptjs";
import { load } from "js-yaml";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { COPIED_FOLDERS } from "../../scripts/generate/helm-chart.ts";
import { readHelmValues } from "../../scripts/generate/helm-values.ts";
import { LOG_FORMATS, LOG_LEVELS } from "../../src/telemetry/logger.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const CHART = `${ROOT}deploy/helm/prtg-exporter/`;

const choice = z.object({ enum: z.array(z.string()) });
const valuesSchema = z.object({
  properties: z.object({ log: z.object({ properties: z.object({ level: choice, format: choice }) }) }),
});

describe("Helm chart", () => {
  // Rules of chart-testing, which chart collections run.
  test("has exactly the keys that chart collections require", () => {
    const keys = z.strictObject({
      ...{ apiVersion: z.string(), name: z.string(), version: z.string(), description: z.string(), home: z.url() },
      ...{ appVersion: z.string(), kubeVersion: z.string(), type: z.string(), icon: z.url() },
      sources: z.array(z.url()),
      keywords: z.array(z.string()),
      maintainers: z.array(z.strictObject({ name: z.string(), email: z.string().optional(), url: z.url().optional() })),
      annotations: z.record(z.string(), z.string()),
    });
    expect(keys.safeParse(load(readFileSync(`${CHART}Chart.yaml`, "utf8"))).error?.issues).toBeUndefined();
  });

  test.each([
    ["level", ["", ...LOG_LEVELS]],
    ["format", ["", ...LOG_FORMATS]],
  ] as const)("accepts each log.%s of the exporter, and no other one", (key, allowed) => {
    const log = valuesSchema.parse(JSON.parse(readFileSync(`${CHART}values.schema.json`, "utf8"))).properties.log;
    expect(new Set(log.properties[key].enum)).toEqual(new Set(allowed));
  });

  // Copies without a source. Another test compares the rest.
  test.each(COPIED_FOLDERS)("contains exactly the existing files of $from", ({ from, to, pattern }) => {
    const sources = readdirSync(ROOT + from).filter((name) => pattern.test(name));
    expect(sources).not.toEqual([]);
    expect(readdirSync(ROOT + to).sort()).toEqual(sources.sort());
  });

  test("describes every switch", () => {
    const values = readHelmValues(readFileSync(`${CHART}values.yaml`, "utf8"));
    const undescribed = values.filter(({ children, description }) => {
      const isSwitch = children.some(({ key }) => key === "enabled");
      return isSwitch && description === "" && children.every((child) => child.description === "");
    });
    expect(undescribed.map(({ path }) => path)).toEqual([]);
  });
});

const users = z.record(z.string(), z.string());
const protectedPage = z.object({
  web: z.object({ config: z.object({ content: z.object({ basic_auth_users: users }) }) }),
  probeHeaders: z.array(z.object({ name: z.string(), value: z.string() })),
});

// Otherwise rejected probes would end the pod.
test("probes of the test values have the password of a page user", async () => {
  const files = readdirSync(`${CHART}ci`).map((name) => readFileSync(`${CHART}ci/${name}`, "utf8"));
  const guarded = files.filter((text) => text.includes("basic_auth_users:"));
  expect(guarded).not.toEqual([]);
  for (const { web, probeHeaders } of guarded.map((text) => protectedPage.parse(load(text)))) {
    const { value = "" } = probeHeaders.find(({ name }) => name === "Authorization") ?? {};
    const [user = "", password = ""] = Buffer.from(value.replace("Basic ", ""), "base64").toString().split(":");
    const hash = web.config.content.basic_auth_users[user] ?? "";
    expect(await compare(password, hash), user).toBe(true);
  }
});

describe("values of a chart", () => {
  test("match their comments", () => {
    const text = `# About the file.

# -- What it is,
# in two lines.
# @schema {"type": "integer"}
port: 80
group:
  # -- Whether.
  enabled: false
  # @schema {"type": "object"}
  free: {}
`;
    expect(readHelmValues(text)).toMatchObject([
      { path: "port", description: "What it is, in two lines.", schema: { type: "integer" }, preset: 80 },
      {
        path: "group",
        schema: undefined,
        children: [
          { path: "group.enabled", description: "Whether.", preset: false },
          { path: "group.free", schema: { type: "object" }, preset: {} },
        ],
      },
    ]);
  });

  test.each([
    ["free: {}", /free is an empty map without @schema/],
    ["list: []", /list needs @schema/],
    ["nothing: null", /nothing needs @schema/],
    ["# @schema {type: object}\nwrong: {}", /the @schema of wrong is no JSON/],
    ["- a list", /not a map/],
  ])("fail: %s", (text, fault) => {
    expect(() => readHelmValues(text)).toThrow(fault);
  });
});
