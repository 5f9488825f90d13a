import { createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { sendTo, startService } from "../support/running-service.ts";

async function classic(): Promise<string> {
  const { simulator } = await startService({ classicPort: 0 });
  return simulator.classicUrl ?? expect.fail("there is none");
}

test.each(["/api/v2/health", "/api/v2/version", "/api/table.json", "/"])(
  "%s redirects to the login page",
  async (path) => {
    const url = await classic();
    const { status, headers } = await sendTo(`${url}${path}`, { bearer: null });
    expect([status, headers.get("location")]).toEqual([302, `/public/login.htm?loginurl=${encodeURIComponent(path)}`]);
    const page = await sendTo(`${url}${headers.get("location")}`, { bearer: null });
    expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  },
);

test("the port refuses keys and sessions", async () => {
  const url = await classic();
  const { status, text } = await sendTo(`${url}/api/v2/version`);
  expect([status, text]).toEqual([401, expect.stringContaining("Unsupported authorization scheme")]);
  expect((await sendTo(`${url}/api/v2/session`, { method: "POST", bearer: null, body: "{}" })).status).toBe(302);
});

test("the port is off by default", async () => {
  const { simulator } = await startService();
  expect(simulator.classicUrl).toBeUndefined();
});

test("the port closes with the service", async () => {
  const { simulator } = await startService({ classicPort: 0 });
  const url = simulator.classicUrl ?? expect.fail("there is none");
  await simulator.close();
  await expect(fetch(url)).rejects.toThrow("fetch failed");
});

test("a port in use stops the start", async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void taken.close());
  const { port: classicPort } = taken.address() as { port: number };
  await expect(startService({ classicPort })).rejects.toMatchObject({ code: "EADDRINUSE", port: classicPort });
});
