import { expect, test } from "vitest";
import type { Finding } from "../../../src/cli/check/findings.ts";
import { compareServers } from "../../../src/cli/compare/agreement.ts";
import { load } from "../../config/support.ts";
import { testContext } from "../../support/simulated-exporter.ts";

const AUTH = "auth: { api_key_file: /run/secrets/key }";
const finding = (server: string, status: Finding["status"]): Finding => {
  return { server, subject: "login", status, text: "text" };
};

async function compared(findings: readonly Finding[], signal: AbortSignal) {
  const servers = ["hq", "branch"].map((name) => `{ name: ${name}, url: "https://127.0.0.1:9", ${AUTH} }`);
  const { config } = await load(`servers: [${servers.join(", ")}]`);
  const printed: string[] = [];
  const context = { ...testContext(), print: (text: string) => void printed.push(text) };
  return { found: await compareServers(5, {}, { config, findings, context, signal }), printed };
}

test("servers with a failure are not compared", async () => {
  const findings = [finding("hq", "FAILED"), finding("hq", "ok"), finding("branch", "FAILED")];
  const { found, printed } = await compared(findings, new AbortController().signal);
  const skipped = { subject: "agreement", status: "skipped", text: "not compared after the failure" };
  expect(found).toEqual([
    { server: "hq", ...skipped },
    { server: "branch", ...skipped },
  ]);
  expect(printed).toEqual([]);
});

test("an interrupted comparison is no finding", async () => {
  const { found } = await compared([finding("hq", "FAILED"), finding("branch", "warning")], AbortSignal.abort());
  expect(found.map(({ server }) => server)).toEqual(["hq"]);
});
