import { join } from "node:path";
import { expect, test } from "vitest";
import { runCommand } from "../support/command-line.ts";
import { parsePage } from "../support/parse-sample.ts";
import { CREDENTIALS, simulateServer } from "../support/simulated-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const AUTH = {
  key: "{ api_key_file: key.txt }",
  login: `{ username: ${CREDENTIALS.username}, password_file: password.txt }`,
};

test("a server that is given with the port of the classic web interface: check says which one is meant, serve shows it down", async () => {
  const { classicUrl } = await simulateServer({ classicPort: 0 });
  const servers = Object.entries(AUTH).map(
    ([name, auth]) => `  - { name: ${name}, url: "${classicUrl}", auth: ${auth} }\n`,
  );
  const folder = temporaryFolder({
    "key.txt": CREDENTIALS.apiKey,
    "password.txt": CREDENTIALS.password,
    "prtg.yaml": `servers:\n${servers.join("")}`,
  });
  const config = ["--config.file", join(folder, "prtg.yaml")];
  const { code, stdout } = await runCommand(["check", ...config]);
  expect(code, stdout).toBe(1);
  for (const name of Object.keys(AUTH)) {
    const line = stdout.split("\n").find((each) => new RegExp(`^${name} .* FAILED `).test(each));
    expect(line).toMatch(/HTTP 302 redirect to another page of the same server/);
    expect(line).toMatch(
      /-> This is probably the classic web port: API v2 listens on 1616 \(HTTPS\) or 1615 \(HTTP\)\./,
    );
  }
  const served = await runCommand(["serve", "--once", ...config]);
  const up = [...parsePage(served.stdout).values()].filter(({ name }) => name === "prtg_up");
  expect(up.map(({ labels, value }) => [labels.server, value])).toEqual([
    ["key", "0"],
    ["login", "0"],
  ]);
});
