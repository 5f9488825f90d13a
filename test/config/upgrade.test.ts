import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { load as parseYaml } from "js-yaml";
import { describe, expect, test } from "vitest";
import current from "../../api/contract.json" with { type: "json" };
import released from "../fixtures/upgrades/0.1.0/contract.json" with { type: "json" };
import { load, SECRET } from "./support.ts";

const FOLDER = new URL("../fixtures/upgrades/0.1.0/configuration/", import.meta.url);
const FILES = readdirSync(FOLDER);
const ENV = { PRTG_URL: "https://prtg.example.com:1616", PRTG_API_KEY: SECRET, PRTG_PASSWORD: SECRET };

describe("a configuration of 0.1.0", () => {
  test.each(FILES)("%s is valid", async (name) => {
    const { config } = await load(readFileSync(new URL(name, FOLDER), "utf8"), ENV, { [resolve("api-key")]: SECRET });
    expect(config.servers.length).toBeGreaterThan(0);
  });

  test("can have each key of that release", () => {
    const used = new Set(FILES.flatMap((name) => keysOf(parseYaml(readFileSync(new URL(name, FOLDER), "utf8")))));
    expect(Object.keys(released.configuration).filter((key) => !used.has(key))).toEqual([]);
  });

  test("can have labels that new metrics also have", async () => {
    const server = `servers: [{ url: "https://prtg.example.com", auth: { api_key: "\${PRTG_API_KEY}" } }]`;
    const before = labelsOf(released.metrics);
    const since = labelsOf(current.metrics).difference(before);
    expect(since.size).toBeGreaterThan(3);
    const refused: string[] = [];
    for (const label of since) {
      await load(`${server}\nlabels: { rename: { sensor: ${label} } }`, ENV).catch(() => refused.push(label));
    }
    expect(refused).toEqual([]);
  });
});

function labelsOf(metrics: Readonly<Record<string, { readonly labels: readonly string[] }>>): Set<string> {
  return new Set(Object.values(metrics).flatMap(({ labels }) => labels));
}

/** As in the contract, which names keys that take a text or a list without brackets. */
function keysOf(value: unknown, path = ""): string[] {
  if (Array.isArray(value)) return [path, `${path}[]`, ...value.flatMap((item) => keysOf(item, `${path}[]`))];
  if (typeof value !== "object" || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, item]) => keysOf(item, path === "" ? key : `${path}.${key}`))];
}
