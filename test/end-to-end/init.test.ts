import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { keyPair } from "../support/certificates.ts";
import { runCommand } from "../support/command-line.ts";
import { CREDENTIALS, simulateServer } from "../support/simulated-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

test("init without a terminal, then check and serve, as the guide says", async () => {
  const { url, classicUrl, fingerprint } = await simulateServer({
    tls: keyPair("localhost"),
    ...{ host: "127.77.2.1", port: 1616, classicPort: 0 },
  });
  const folder = temporaryFolder({});
  const file = join(folder, "prtg.yaml");
  const start = (flags: readonly string[], env: Readonly<Record<string, string>>) =>
    runCommand(["init", "--out", file, ...flags], { env });

  const lost = await start([], {});
  expect([lost.code, lost.stdout]).toEqual([1, ""]);
  expect(lost.stderr).toContain("without a terminal, init needs --server.url (or PRTG_URL) and --server.api-key-file");

  const env = { PRTG_URL: `${classicUrl}/index.htm`, PRTG_API_KEY: CREDENTIALS.readApiKey };
  const doubtful = await start([], env);
  expect([doubtful.code, doubtful.stdout]).toEqual([1, expect.stringContaining(`${url}: REST API v2 answers`)]);
  const [, flag = "", value = ""] = /add (--server\.fingerprint) ([0-9A-F:]+)/.exec(doubtful.stderr) ?? [];
  expect(value).toBe(fingerprint);

  const done = await start([flag, value], env);
  expect([done.code, done.stderr]).toEqual([0, ""]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(folder, "api-key"), "utf8")).toBe(`${CREDENTIALS.readApiKey}\n`);
  const told = lost.stdout + lost.stderr + doubtful.stdout + doubtful.stderr + done.stdout;
  expect(told).not.toContain(CREDENTIALS.readApiKey);

  const checked = await runCommand(["check", "--config.file", file]);
  expect([checked.code, checked.stdout]).toEqual([0, expect.stringMatching(/sensors +ok +30 visible/)]);
  const served = await runCommand(["serve", "--once", "--config.file", file]);
  expect([served.code, served.stderr]).toEqual([0, expect.not.stringContaining('"level":"warn"')]);
  expect(served.stdout).toContain('prtg_up{server="127.77.2.1"} 1');
});
