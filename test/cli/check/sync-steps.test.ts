import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import { expect, onTestFinished, test } from "vitest";
import type { Finding } from "../../../src/cli/check/step.ts";
import { syncFindings } from "../../../src/cli/check/sync-steps.ts";
import { loadConfig } from "../../../src/config/load.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { never } from "../../support/never-aborted.ts";
import { testContext } from "../../support/simulated-exporter.ts";
import { CREDENTIALS, simulateServer } from "../../support/simulated-server.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { startFakeAlertmanager } from "../../sync/support/fake-alertmanager.ts";

/** Nothing listens on this port. */
const UNREACHABLE = "http://127.0.0.1:9";

interface Setting {
  readonly folder: string;
  readonly server?: string;
  readonly alertmanager?: string;
  readonly more?: string;
}

async function findingsOf({ folder, server = UNREACHABLE, alertmanager = UNREACHABLE, more = "" }: Setting) {
  const yaml = `
servers: [{ name: hq, url: "${server}", auth: { api_key: "\${KEY}" } }]
servers_from: { files: "/d/*.yaml" }
state_dir: ${folder}/state
sync: { alertmanager: { url: "${alertmanager}" }, ${more} }
`;
  const readFile = async () => yaml;
  const env = { KEY: "key-of-tests", SYNC_KEY: CREDENTIALS.apiKey };
  const { config } = await loadConfig({ readFile, file: "test.yaml", env, sync: true });
  const logged: string[] = [];
  const printed: string[] = [];
  const log = pino({}, { write: (line) => void logged.push(line) });
  const context = { ...testContext(), log, print: (text: string) => void printed.push(text) };
  const findings: Finding[] = [];
  for await (const finding of syncFindings(config, context, never)) findings.push(finding);
  return { findings, logged, printed, of: (name: string) => findings.find(({ subject }) => subject === name) };
}

test("warns about credentials of a server that is in no file of servers_from", async () => {
  const { of } = await findingsOf({ folder: temporaryFolder({}), more: 'servers: { branch: { api_key: "${KEY}" } }' });
  expect(of("acknowledge")).toMatchObject({ server: "branch", status: "warning", text: "no server has this name" });
});

test("tests the files and leaves nothing, and fails only once for Alertmanager", async () => {
  const folder = temporaryFolder({});
  const { findings } = await findingsOf({ folder });
  expect(findings.map(({ subject, status }) => `${subject}: ${status}`)).toEqual([
    ...["state_dir: ok", "audit_log: ok", "Alertmanager: FAILED", "next round: skipped"],
  ]);
  expect(findings.at(-1)?.text).toBe("not tested: needs Alertmanager");
  expect(readdirSync(folder)).toEqual([]);
});

test("fails for a file in the place of state_dir, and tests no log in it", async () => {
  const { of } = await findingsOf({ folder: temporaryFolder({ state: "" }) });
  expect(of("state_dir")).toMatchObject({
    status: "FAILED",
    text: expect.stringMatching(/^sync.json in state_dir cannot be written: .*\[SYNC_STATE_UNWRITABLE\]$/),
    remedy: expect.stringContaining("Check that state_dir is a directory"),
  });
  expect(of("audit_log")).toMatchObject({ status: "skipped", text: "not tested: needs state_dir" });
});

test("fails for a folder in the place of the audit log", async () => {
  const folder = temporaryFolder({});
  mkdirSync(join(folder, "audit"));
  const { of } = await findingsOf({ folder, more: `audit_log: ${folder}/audit` });
  expect(of("state_dir")?.status).toBe("ok");
  expect(of("audit_log")).toMatchObject({
    status: "FAILED",
    text: expect.stringMatching(/^the audit log of sync cannot be written: .*\[SYNC_AUDIT_UNWRITABLE\]$/),
  });
});

test("warns about a damaged memory", async () => {
  const { of } = await findingsOf({ folder: temporaryFolder({ "state/sync.json": "{" }) });
  expect(of("state_dir")).toMatchObject({ status: "warning", text: "sync.json is unusable: it is not JSON" });
});

test("tests no file if the audit log is standard output", async () => {
  const { of } = await findingsOf({ folder: temporaryFolder({}), more: 'audit_log: "-"' });
  expect(of("audit_log")).toMatchObject({ status: "ok", text: "standard output" });
});

test("names a server that could not be read, and logs nothing between the findings", async () => {
  const simulator = await simulateServer();
  const { url, close } = await startFakeAlertmanager({ clock: systemClock });
  onTestFinished(close);
  const { of, logged, printed } = await findingsOf({
    ...{ folder: temporaryFolder({}), server: simulator.url, alertmanager: url },
    more: 'servers: { hq: { api_key: "${KEY}" } }',
  });
  expect(of("acknowledge")).toMatchObject({ status: "FAILED", text: expect.stringContaining("[API_UNAUTHORIZED]") });
  expect(of("next round")).toMatchObject({ status: "warning", text: "unknown, because hq could not be read" });
  expect({ logged, printed }).toEqual({ logged: [], printed: [] });
});
