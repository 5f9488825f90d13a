import { expect, test } from "vitest";
import { never } from "../../support/never-aborted.ts";
import { sendJson, startApiServer } from "../support/api-server.ts";
import { testClient } from "../support/test-client.ts";

test("a busy program keeps the working address while it connects", async () => {
  const server = await startApiServer((_request, response) => sendJson(response, { version: "1" }));
  const { api, recorded } = testClient(`http://prtg.test:${server.port}`, {
    maxAttempts: 1,
    lookup: (_name, _options, callback) => {
      setImmediate(() => {
        callback(null, [
          { address: "127.0.0.1", family: 4 },
          { address: "::1", family: 6 },
        ]);
        // Node.js allows 500 ms per address.
        const end = performance.now() + 900;
        while (performance.now() < end);
      });
    },
  });
  await api.version(never);
  expect(recorded.codes).toEqual(["/version 200"]);
});
