import { describe, expect, test } from "vitest";
import { runCommand } from "../../support/command-line.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { ALICE } from "./cases.ts";

const CONFIG = "servers: [{ name: hq, url: http://127.0.0.1:9, auth: { api_key: '${KEY}' } }]\n";

describe.each([
  ["serve", ["serve", "--config.check"]],
  ["check", ["check"]],
])("%s", (command, args) => {
  test("reports errors of the web configuration with their position before any request", async () => {
    const folder = temporaryFolder({ "config.yaml": CONFIG, "web.yaml": "basic_auth_users:\n  alice: open-sesame\n" });
    const { code, stdout, stderr } = await runCommand(
      [...args, `--config.file=${folder}/config.yaml`, `--web.config.file=${folder}/web.yaml`],
      { env: { KEY: "secret-key" } },
    );
    expect(code).toBe(1);
    expect(stdout).not.toContain("the web configuration is valid");
    expect(stdout).not.toContain("connection");
    expect(stderr).toContain(`${folder}/web.yaml:2:10: basic_auth_users.alice: expected a bcrypt hash`);
    expect(stderr).toContain("WEB_CONFIG_INVALID");
    expect(stdout + stderr).not.toContain("open-sesame");
  });

  test("confirms a valid configuration", async () => {
    const web = `basic_auth_users: { alice: "${ALICE}" }\n`;
    const folder = temporaryFolder({ "config.yaml": CONFIG, "web.yaml": web });
    const { code, stdout } = await runCommand(
      [...args, `--config.file=${folder}/config.yaml`, `--web.config.file=${folder}/web.yaml`],
      { env: { KEY: "secret-key" } },
    );
    // No server exists at that address, which only check reports.
    expect(code).toBe(command === "check" ? 1 : 0);
    expect(stdout).toContain(`${folder}/web.yaml: the web configuration is valid\n`);
  });
});
