import { describe, expect, test, vi } from "vitest";
import { ExporterError } from "../../../src/errors/exporter-error.ts";
import { Redactor } from "../../../src/errors/redactor.ts";
import { ApiKeyAuth } from "../../../src/prtg/auth/authenticator.ts";
import { never } from "../../support/never-aborted.ts";
import { type Handler, sendError, sendJson, startApiServer } from "../support/api-server.ts";
import { rejection, testClient } from "../support/test-client.ts";

function authWith(key: () => Promise<string>): ApiKeyAuth {
  const owner = { auth: { kind: "api_key", key }, redactor: new Redactor() } as const;
  return new ApiKeyAuth(() => owner);
}

/** The file may hold another. */
async function serverWithKey(
  key: string,
  refuse: Handler = (_request, response) => sendError(response, 401, "AUTH_FAILED"),
) {
  const accepted = { key };
  const file = { key, reads: 0 };
  const server = await startApiServer((request, response) => {
    if (request.authorization === `Bearer ${accepted.key}`) sendJson(response, { version: "25.1" });
    else refuse(request, response);
  });
  const read = async (): Promise<string> => {
    file.reads++;
    return file.key;
  };
  const client = testClient(server.url, { auth: { kind: "api_key", key: read } });
  return { ...client, server, accepted, file };
}

describe("API key", () => {
  test("comes from one read for many requests", async () => {
    const { api, file } = await serverWithKey("key-one");
    await Promise.all([api.version(never), api.version(never)]);
    await api.version(never);
    expect(file.reads).toBe(1);
  });

  test("rejects with the reason of an aborted signal", async () => {
    const auth = authWith(async () => "key-one");
    const controller = new AbortController();
    expect(await auth.token(controller.signal)).toBe("key-one");
    const reason = new Error("no longer wanted");
    controller.abort(reason);
    expect(await rejection(auth.token(controller.signal))).toBe(reason);
  });

  test("does not come from an outdated read", async () => {
    const readings: ((key: string) => void)[] = [];
    const auth = authWith(() => new Promise((resolve) => readings.push(resolve)));
    const first = auth.token(never);
    readings[0]?.("old");
    await first;
    // Rejected at once: each drops the key and rereads.
    const renewals = [auth.renew("old", never), auth.renew("old", never)];
    await vi.waitFor(() => expect(readings).toHaveLength(3));
    readings[2]?.("newest");
    readings[1]?.("older");
    expect(await Promise.all(renewals)).toEqual([true, true]);
    expect(await auth.token(never)).toBe("newest");
  });

  test("is read again after a rejection, and the request repeats", async () => {
    const { api, accepted, file, server, recorded } = await serverWithKey("key-one");
    await api.version(never);
    accepted.key = "key-two";
    file.key = "key-two";
    expect(await api.version(never)).toEqual(new Map([["version", "25.1"]]));
    expect(server.requests.map(({ authorization }) => authorization)).toEqual([
      "Bearer key-one",
      "Bearer key-one",
      "Bearer key-two",
    ]);
    expect(recorded.retried).toEqual(["/version"]);
  });

  test("is read again after a 400, too", async () => {
    const { api, accepted, file, server } = await serverWithKey("key-one", (_request, response) =>
      sendError(response, 400, "BAD_REQUEST", "invalid session token or API token format"),
    );
    accepted.key = "key-two";
    expect(await rejection(api.version(never))).toMatchObject({ code: "API_UNAUTHORIZED" });
    file.key = "key-two";
    await api.version(never);
    expect(server.requests.map(({ authorization }) => authorization)).toEqual([
      "Bearer key-one",
      "Bearer key-one",
      "Bearer key-two",
    ]);
  });

  test("fails without a retry if it has not changed", async () => {
    const { api, accepted, file, server } = await serverWithKey("key-one");
    accepted.key = "key-two";
    expect(await rejection(api.version(never))).toMatchObject({ code: "API_UNAUTHORIZED", serverCode: "AUTH_FAILED" });
    expect(server.requests).toHaveLength(1);
    expect(file.reads).toBe(2);
  });

  test("fails for good if its successor fails as well", async () => {
    const server = await startApiServer((_request, response) => sendError(response, 401, "AUTH_FAILED"));
    let reads = 0;
    const { api } = testClient(server.url, { auth: { kind: "api_key", key: async () => `key-number-${++reads}` } });
    expect(await rejection(api.version(never))).toMatchObject({ code: "API_UNAUTHORIZED" });
    expect(server.requests.map(({ authorization }) => authorization)).toEqual([
      "Bearer key-number-1",
      "Bearer key-number-2",
    ]);
  });

  test("fails the request, not the client, if it is unreadable", async () => {
    const server = await startApiServer((_request, response) => sendJson(response, { version: "25.1" }));
    let readable = false;
    const key = async (): Promise<string> => {
      if (readable) return "key-one";
      throw new ExporterError("SECRET_UNREADABLE", "file /run/key cannot be read", { remedy: "Mount it." });
    };
    const { api } = testClient(server.url, { auth: { kind: "api_key", key } });
    expect(await rejection(api.version(never))).toMatchObject({
      code: "SECRET_UNREADABLE",
      message: "file /run/key cannot be read",
      remedy: "Mount it.",
    });
    expect(server.requests).toHaveLength(0);
    readable = true;
    await api.version(never);
  });

  test.each(["", "two words", "line\nbreak", "schlüssel"])("rejects %j without showing it", async (key) => {
    const server = await startApiServer((_request, response) => sendJson(response, {}));
    const { api } = testClient(server.url, { auth: { kind: "api_key", key: async () => key } });
    const error = await rejection(api.version(never));
    expect(error).toMatchObject({ code: "SECRET_UNREADABLE" });
    if (key !== "") expect(error.message).not.toContain(key);
    expect(server.requests).toHaveLength(0);
  });
});
