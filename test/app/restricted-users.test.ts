import { expect, onTestFinished, test } from "vitest";
import { Exporter } from "../../src/app/exporter.ts";
import { testContext } from "../support/simulated-exporter.ts";
import { loadTestConfig } from "../support/test-config.ts";

async function exporterWith(web: string): Promise<Exporter> {
  const yaml = `servers: [{ name: acme, url: "http://127.0.0.1:1", auth: { api_key: "\${KEY}" } }]\n${web}`;
  const exporter = new Exporter(await loadTestConfig(yaml), testContext());
  onTestFinished(() => exporter.stop());
  return exporter;
}

test("users see all servers unless the configuration restricts them", async () => {
  const exporter = await exporterWith("web: { users: { alice: { servers: [acme, gone] } } }\n");
  expect(exporter.serversOf("alice")).toEqual(["acme", "gone"]);
  expect(exporter.serversOf("carol")).toBeUndefined();
});

test("a request without a user sees nothing if some user is restricted", async () => {
  const exporter = await exporterWith("web: { users: { alice: { servers: [acme] } } }\n");
  expect(exporter.serversOf(undefined)).toEqual([]);
  expect((await exporterWith("")).serversOf(undefined)).toBeUndefined();
});
