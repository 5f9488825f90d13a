import { cpSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { runCommand } from "../support/command-line.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const FUTURE = fileURLToPath(new URL("../fixtures/upgrades/future/", import.meta.url));

test("check and serve refuse state of a newer release, and leave it as it is", async () => {
  for (const [name, sections] of [
    ["watermarks-hq-dfbfcd6f.json", `otlp: { endpoint: "http://127.0.0.1:1" }`],
    ["events-hq-dfbfcd6f.journal", "events: { file: events.jsonl }"],
  ] as const) {
    const folder = temporaryFolder({
      "prtg.yaml": `servers: [{ name: hq, url: "http://127.0.0.1:1", auth: { api_key: "\${KEY}" } }]\nstate_dir: state\n${sections}`,
    });
    const state = join(folder, "state");
    const path = join(state, name);
    cpSync(join(FUTURE, name), path);
    const args = ["--config.file", join(folder, "prtg.yaml")];
    for (const [command, ...more] of [["check"], ["serve", "--web.listen-address", "127.0.0.1:0"]] as const) {
      const { code, stderr } = await runCommand([command, ...args, ...more], { env: { KEY: "key-of-the-tests" } });
      expect({ command, code, stderr }).toEqual({
        command,
        code: 1,
        stderr: expect.stringContaining("STATE_FILE_NEWER"),
      });
      expect(stderr).toContain(`${path} has version 2, this release reads up to 1`);
    }
    expect(readdirSync(state)).toEqual(["claims.lock", name]);
    expect(readFileSync(path)).toEqual(readFileSync(join(FUTURE, name)));
  }
});
