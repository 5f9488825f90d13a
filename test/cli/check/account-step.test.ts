import { expect, test } from "vitest";
import { checkSteps } from "../../../src/cli/check/plan.ts";
import { smallServer } from "../../collectors/small-server.ts";
import { load } from "../../config/support.ts";
import { never } from "../../support/never-aborted.ts";

async function account(accounts: number | undefined): Promise<string> {
  const auth = "auth: { api_key_file: /run/secrets/key }";
  const { config } = await load(`servers: [{ name: hq, url: "https://prtg.example.com:1616", ${auth} }]`);
  const steps = config.servers.flatMap((each) => checkSteps(each, config));
  const api = smallServer();
  api.accounts = accounts;
  const tools = { api, signal: never, problems: () => new Map() };
  const result = await steps.find(({ subject }) => subject === "account")?.run(tools);
  return `${result?.status ?? "ok"}: ${result?.text}`;
}

test.each([
  [1, /^ok: the credentials see no other user accounts$/],
  [0, /^ok: the credentials see no other/],
  [2, /^warning: the credentials see 2 user accounts, like an administrator/],
  [undefined, /^ok: the server lists no user accounts for these credentials: it is unknown whether the credentials/],
])("%s visible user accounts give %s", async (accounts, expected) => {
  expect(await account(accounts)).toMatch(expected);
});
