import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startCommand } from "../support/command-line.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** Nothing listens on this port. */
const UNREACHABLE = "http://127.0.0.1:9";
const SECTION = `sync: { alertmanager: { url: "${UNREACHABLE}" } }`;

function siteWith(section: string) {
  const folder = temporaryFolder({
    "prtg-exporter.yaml": `
servers: [{ name: hq, url: "${UNREACHABLE}", auth: { api_key: "\${KEY}" } }]
state_dir: state
${section}
`,
  });
  const flags = ["--config.file", join(folder, "prtg-exporter.yaml"), "--web.listen-address", "127.0.0.1:0"];
  return { folder, start: () => startCommand(["sync", ...flags], { env: { KEY: "key-of-the-tests" } }) };
}

test("sync survives SIGHUP, and releases its claim at a stop signal", async () => {
  const { folder, start } = siteWith(SECTION);
  const sync = start();
  await sync.until(/the next round tries again/);
  sync.kill("SIGHUP");
  await sync.until(/Restart it to apply changes/);
  sync.kill("SIGTERM");
  expect((await sync.ended).code).toBe(0);
  expect(readdirSync(join(folder, "state"))).toEqual(["claims.lock"]);
});

test("a second sync with the same state_dir ends with an error", async () => {
  const { start } = siteWith(SECTION);
  const first = start();
  await first.until(/the next round tries again/);
  const { code, stderr } = await start().ended;
  first.kill("SIGTERM");
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("[STATE_DIR_BUSY]") });
  await first.ended;
});

test("without its section, sync ends before it listens", async () => {
  const { code, stdout, stderr } = await siteWith("").start().ended;
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toContain("sync: the section is missing");
});
