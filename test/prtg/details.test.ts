import { describe, expect, test } from "vitest";
import { never } from "../support/never-aborted.ts";
import { sendError, sendJson, startApiServer } from "./support/api-server.ts";
import { rejection, testClient } from "./support/test-client.ts";

async function details(answers: Readonly<Record<string, unknown>>) {
  const server = await startApiServer(({ path }, response) => {
    const answer = answers[path];
    if (typeof answer === "number") sendError(response, answer, "REFUSED");
    else if (answer === undefined) sendError(response, 404, "NOT_FOUND");
    else sendJson(response, answer);
  });
  const client = testClient(server.url);
  return { ...client, server, details: client.api.details };
}

describe("accounts", () => {
  const USERS = "/experimental/users";

  test("are counted, each id once, and no name is logged", async () => {
    const list = [
      { id: "100", name: "PRTG System Administrator" },
      { id: "200", name: "Jane Doe" },
      { id: "100", name: "John Doe" },
    ];
    const { details: api, logText } = await details({ [USERS]: list });
    expect(await api.accounts(never)).toBe(2);
    expect(logText()).not.toMatch(/the same id|Doe/);
  });

  test.each([400, 403, 404])("are unknown after %i", async (status) => {
    expect(await (await details({ [USERS]: status })).details.accounts(never)).toBeUndefined();
  });

  test("fail on other errors", async () => {
    const { details: api } = await details({ [USERS]: 401 });
    expect(await rejection(api.accounts(never))).toMatchObject({ code: "API_UNAUTHORIZED" });
  });
});

test("auto-discoveries count if they run", async () => {
  const list = [
    { id: "1", status: "RUNNING" },
    { id: "2", status: "FINISHED" },
    { id: "3", status: "RUNNING" },
  ];
  const { details: api } = await details({ "/autodiscoveries": list });
  expect(await api.autodiscoveries(never)).toBe(2);
});

test("the log tells of an auto-discovery with two states", async () => {
  const list = [
    { id: "1", status: "RUNNING" },
    { id: "1", status: "FINISHED" },
  ];
  const { details: api, logged } = await details({ "/autodiscoveries": list });
  expect(await api.autodiscoveries(never)).toBe(1);
  const lines = logged().filter(({ msg }) => String(msg).includes("the same id"));
  expect(lines).toMatchObject([{ endpoint: "/autodiscoveries", id: "1", shown: "running", left_out: "over" }]);
});

test("the connection of a probe has an escaped path", async () => {
  const { details: api, server } = await details({ "/probes/1%2F2/info": { connected: true } });
  expect(await api.probeConnected("1/2", never)).toBe(true);
  expect(server.requests.map(({ url }) => url)).toEqual(["/probes/1%2F2/info"]);
});

test("primary channels are those of a filter", async () => {
  const { details: api, server } = await details({ "/experimental/channels": [{ id: "50.0", name: "Ping Time" }] });
  const { items } = (await api.primaryChannels(never)) ?? {};
  expect(items && Array.from(items, ({ name }) => name)).toEqual(["Ping Time"]);
  expect(server.requests[0]?.query.get("filter")).toBe("primary = true");
});
