import { once } from "node:events";
import { createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { withTrust } from "../../../src/cli/init/trust.ts";
import { testContext } from "../../support/simulated-exporter.ts";

test("reports a server that ends the connection before it sends a certificate", async () => {
  const server = createServer((socket) => socket.destroy()).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") return expect.fail("no port");
  const url = `https://127.0.0.1:${address.port}`;
  await expect(withTrust({ file: "prtg.yaml", url, trust: {} }, undefined, testContext())).rejects.toMatchObject({
    code: "API_CONNECTION_FAILED",
    message: `${url}: no certificate`,
    cause: expect.objectContaining({ code: "ECONNRESET" }),
  });
});
