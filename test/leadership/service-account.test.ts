import { expect, test } from "vitest";
import { Redactor } from "../../src/errors/redactor.ts";
import { openServiceAccount } from "../../src/leadership/service-account.ts";

const FILES: Readonly<Record<string, string>> = {
  "/account/token": "the-token\n",
  "/account/ca.crt": "the-authority\n",
  "/account/namespace": "monitoring\n",
};
const ENV = { KUBERNETES_SERVICE_HOST: "10.96.0.1", KUBERNETES_SERVICE_PORT: "443" };

function open(env: Readonly<Record<string, string>> = ENV, files = FILES) {
  const readFile = async (path: string) => {
    const text = files[path];
    if (text === undefined) throw new Error(`ENOENT: ${path}`);
    return text;
  };
  return openServiceAccount({ folder: "/account", env, readFile, redactor: new Redactor() });
}

test("the settings have the API server and the identity", async () => {
  const account = await open();
  expect(account).toMatchObject({ origin: "https://10.96.0.1:443", namespace: "monitoring" });
  expect(await account.readToken()).toBe("the-token");
  expect(await account.readCa()).toBe("the-authority");
});

test("an IPv6 address gets brackets", async () => {
  expect(await open({ ...ENV, KUBERNETES_SERVICE_HOST: "fd00::1" })).toMatchObject({ origin: "https://[fd00::1]:443" });
});

test("the error names missing parts outside a pod", async () => {
  await expect(open({})).rejects.toMatchObject({ code: "NOT_IN_CLUSTER" });
  for (const missing of Object.keys(FILES)) {
    const files = Object.fromEntries(Object.entries(FILES).filter(([path]) => path !== missing));
    await expect(open(ENV, files)).rejects.toMatchObject({
      code: "NOT_IN_CLUSTER",
      message: expect.stringContaining(missing),
    });
  }
});
