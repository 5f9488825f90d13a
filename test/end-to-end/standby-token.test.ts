import { readFileSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { type RunningCommand, runCommand, startCommand } from "../support/command-line.ts";
import { type LeaseRequest, type LeaseServer, startLeaseServer } from "../support/lease-server.ts";
import { CREDENTIALS, simulateServer } from "../support/simulated-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { expectWithout } from "./support/secret-forms.ts";

/** Kubernetes' format, in no test's text. */
const TOKENS = ["eyJhbGciOiJSUzI1NiJ9.planted+first/token", "eyJhbGciOiJSUzI1NiJ9.planted+second/token"] as const;
const PATIENCE = { timeout: 60_000, interval: 50 };
const PATHS = [
  "/",
  "/metrics",
  "/status.json",
  "/sd",
  "/debug/cardinality",
  "/debug/runs",
  "/debug/explain?object=1",
  "/-/ready",
];

function repeat({ headers, body }: LeaseRequest, response: ServerResponse): boolean {
  const told = `${JSON.stringify(headers)} ${headers.authorization} ${JSON.stringify(body)}`;
  response.writeHead(403, { "content-type": "application/json", "x-request-id": `${headers.authorization}` });
  response.end(JSON.stringify({ kind: "Status", message: told }));
  return true;
}

function setToken(leases: LeaseServer, token: string): void {
  writeFileSync(join(leases.accountFolder, "token"), `${token}\n`);
  leases.token = token;
}

async function setting() {
  const [{ url }, leases] = await Promise.all([simulateServer(), startLeaseServer()]);
  onTestFinished(() => leases.close());
  const folder = temporaryFolder({
    "prtg.yaml": `servers: [{ name: hq, url: "${url}", auth: { api_key: "\${KEY}" } }]\n`,
  });
  const report = join(folder, "report.json");
  const flags = [
    ...["--config.file", join(folder, "prtg.yaml"), "--leader-elect"],
    `--leader-elect-service-account=${leases.accountFolder}`,
  ];
  const env = {
    ...{ KEY: CREDENTIALS.apiKey, POD_NAME: "pod-a", POD_UID: "1" },
    ...{ KUBERNETES_SERVICE_HOST: leases.host, KUBERNETES_SERVICE_PORT: String(leases.port) },
  };
  const check = async () => {
    const args = ["check", ...flags, "--report", report, "--log.level", "debug"];
    const { code, stdout, stderr } = await runCommand(args, { env });
    expectWithout(TOKENS, stdout + stderr + readFileSync(report, "utf8"), "check and its report");
    return { code, stdout };
  };
  const serve = (format: string) => {
    const args = ["serve", ...flags, "--web.listen-address", "127.0.0.1:0", "--log.level", "debug"];
    return startCommand([...args, "--log.format", format], { env });
  };
  return { leases, check, serve };
}

async function expectCleanPages(replica: RunningCommand): Promise<void> {
  for (const path of PATHS) {
    const response = await fetch(`${await replica.url()}${path}`);
    expectWithout(TOKENS, `${JSON.stringify([...response.headers])} ${await response.text()}`, path);
  }
}

test.each(["json", "text"])(
  "the token stays hidden even if the API server repeats it (%s)",
  async (format) => {
    const { leases, serve } = await setting();
    setToken(leases, TOKENS[0]);
    leases.intercept = repeat;
    const replica = serve(format);
    await replica.until(/LEASE_FORBIDDEN|cannot be read/);
    await expectCleanPages(replica);
    setToken(leases, TOKENS[1]);
    const asked = () => leases.requests.at(-1)?.headers.authorization;
    await vi.waitFor(() => expect(asked()).toBe(`Bearer ${TOKENS[1]}`), PATIENCE);
    leases.intercept = undefined;
    await replica.until(/first poll finished: ready/);
    await expectCleanPages(replica);
    replica.kill("SIGTERM");
    const { code, stdout, stderr } = await replica.ended;
    expect(code, stderr).toBe(0);
    expectWithout(TOKENS, stdout + stderr, "the log of serve");
    expect(stderr).toContain("[redacted]");
  },
  120_000,
);

test("check tests the Lease with the flags of serve, without taking it or showing the token", async () => {
  const { leases, check } = await setting();
  setToken(leases, TOKENS[0]);
  leases.put({ spec: { holderIdentity: "pod-b_2", leaseDurationSeconds: 12, renewTime: "now" } });
  const before = structuredClone(leases.lease);
  const works = await check();
  expect(works.stdout).toMatch(/^leader election +lease +ok +monitoring\/prtg-exporter: pod-b_2 leads$/m);
  expect(works.stdout).toMatch(/^leader election +lease rights +ok /m);
  expect(works.code, works.stdout).toBe(0);
  expect(leases.lease).toEqual(before);
  leases.intercept = repeat;
  const refused = await check();
  expect(refused.stdout).toMatch(/^leader election +lease +FAILED +.*\[LEASE_FORBIDDEN\] -> Give the service account/m);
  expect(refused.stdout).toContain("[redacted]");
  expect(refused.stdout).toMatch(/^FAILED: leader election \(lease\)$/m);
  expect(refused.code).toBe(1);
}, 120_000);
