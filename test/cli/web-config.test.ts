import { expect, test } from "vitest";
import { refuseUnknownUsers } from "../../src/cli/web-config.ts";
import { ExporterError } from "../../src/errors/exporter-error.ts";
import { load } from "../config/support.ts";

const TEXT = `
servers: [{ name: acme, url: "https://prtg.example.com:1616", auth: { api_key: "\${KEY}" } }]
web: { users: { alice: { servers: [acme] }, "bo b": { servers: [acme] } } }
`;

test("names the users that no web configuration has, and what to do, without a promised line", async () => {
  const { config } = await load(TEXT, { KEY: "a-key" });
  const error = refusal(() => refuseUnknownUsers(config, undefined));
  expect(error.message.split("\n")).toEqual([
    "web.users.alice: expected a user of basic_auth_users in --web.config.file, which is not set",
    'web.users["bo b"]: expected a user of basic_auth_users in --web.config.file, which is not set',
  ]);
  expect([error.code, error.remedy]).toEqual(["CONFIG_INVALID", expect.stringContaining("Set --web.config.file")]);
});

function refusal(refuse: () => void): ExporterError {
  try {
    refuse();
  } catch (error) {
    if (error instanceof ExporterError) return error;
    throw error;
  }
  return expect.fail("no error");
}
