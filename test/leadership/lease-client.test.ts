import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Redactor } from "../../src/errors/redactor.ts";
import type { Lease } from "../../src/leadership/election.ts";
import {
  createLeaseClient,
  type LeaseClient,
  type LeaseRehearser,
  openServiceAccount,
} from "../../src/leadership/lease-client.ts";
import { readTextFile } from "../../src/lib/bounded-files.ts";
import { certificate } from "../support/certificates.ts";
import { LEASE_NAME, type LeaseServer, NAMESPACE, startLeaseServer } from "../support/lease-server.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { never } from "../support/never-aborted.ts";

const NOW = Date.UTC(2026, 10, 23, 8, 15, 30, 250);
const TAKE = { holder: "pod-a_1", durationMs: 9_500, isTaken: true };

interface Setting {
  readonly server: LeaseServer;
  readonly client: LeaseClient & LeaseRehearser;
  readonly redactor: Redactor;
}

async function setting(): Promise<Setting> {
  const server = await startLeaseServer();
  onTestFinished(() => server.close());
  const redactor = new Redactor();
  const env = { KUBERNETES_SERVICE_HOST: server.host, KUBERNETES_SERVICE_PORT: String(server.port) };
  const account = await openServiceAccount({ folder: server.accountFolder, env, readFile: readTextFile, redactor });
  const client = createLeaseClient({
    account,
    namespace: account.namespace,
    name: LEASE_NAME,
    userAgent: "prtg-exporter/test",
    clock: new ManualClock(NOW),
    timeoutMs: 30_000,
  });
  onTestFinished(() => client.close());
  return { server, client, redactor };
}

async function known(client: LeaseClient): Promise<Lease> {
  const lease = await client.read(never);
  if (lease === undefined) throw new Error("there is no Lease");
  return lease;
}

async function codeOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => (error instanceof Error && "code" in error ? `${error.code}: ${error.message}` : error),
  );
}

test("the client creates a missing Lease empty and then takes it, with API times", async () => {
  const { server, client } = await setting();
  expect(await client.read(never)).toBeUndefined();
  const created = await client.create(never);
  expect(server.lease).not.toHaveProperty("spec");
  if (created.kind !== "written") throw new Error("not created");
  expect(created.lease).toMatchObject({ holder: undefined, isReleased: false });
  const result = await client.write(created.lease, TAKE, never);
  expect(result).toMatchObject({
    kind: "written",
    lease: { holder: "pod-a_1", durationMs: 10_000, isReleased: false },
  });
  expect(server.lease).toEqual({
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: { name: LEASE_NAME, namespace: NAMESPACE, resourceVersion: "102" },
    spec: {
      holderIdentity: "pod-a_1",
      leaseDurationSeconds: 10,
      acquireTime: "2026-11-23T08:15:30.250000Z",
      renewTime: "2026-11-23T08:15:30.250000Z",
      leaseTransitions: 1,
    },
  });
});

test("the client keeps labels, annotations and unknown fields", async () => {
  const { server, client } = await setting();
  server.put(
    { spec: { holderIdentity: "pod-b_2", leaseTransitions: 4, strategy: "OldestEmulationVersion" } },
    {
      labels: { "helm.sh/chart": "prtg-exporter-1.0.0" },
    },
  );
  await client.write(await known(client), TAKE, never);
  expect(server.lease).toMatchObject({
    metadata: { labels: { "helm.sh/chart": "prtg-exporter-1.0.0" } },
    spec: { holderIdentity: "pod-a_1", leaseTransitions: 5, strategy: "OldestEmulationVersion" },
  });
});

test("a renewal keeps the time and number of transitions", async () => {
  const { server, client } = await setting();
  const acquireTime = "2026-11-23T08:00:00.000000Z";
  server.put({ spec: { holderIdentity: "pod-a_1", acquireTime, leaseTransitions: 4 } });
  await client.write(await known(client), { ...TAKE, isTaken: false }, never);
  expect(server.lease?.spec).toMatchObject({
    acquireTime,
    leaseTransitions: 4,
    renewTime: "2026-11-23T08:15:30.250000Z",
  });
});

test("a released Lease is empty with a duration of one second, unlike a new one", async () => {
  const { server, client } = await setting();
  server.put({});
  const blank = await known(client);
  expect(blank).toMatchObject({ holder: undefined, isReleased: false, durationMs: undefined });
  await client.write(blank, { holder: "", durationMs: 10_000, isTaken: false }, never);
  expect(server.lease?.spec).toMatchObject({ holderIdentity: "", leaseDurationSeconds: 1 });
  expect(await client.read(never)).toMatchObject({ holder: undefined, isReleased: true });
});

test("a write to an old version or a deleted Lease reports a conflict", async () => {
  const { server, client } = await setting();
  server.put({ spec: { holderIdentity: "pod-b_2" } });
  const old = await known(client);
  server.put({ spec: { holderIdentity: "pod-c_3" } });
  expect(await client.write(old, TAKE, never)).toEqual({ kind: "conflict" });
  expect(await client.create(never)).toEqual({ kind: "conflict" });
  server.lease = undefined;
  expect(await client.write(old, TAKE, never)).toEqual({ kind: "conflict" });
});

test("the client reads the token for each request and hides old and new tokens in the log", async () => {
  const { server, client, redactor } = await setting();
  server.put({});
  const redacted: string[] = [];
  for (const token of ["token-1", "token-2", "token-3", "token-2"]) {
    await writeFile(join(server.accountFolder, "token"), `${token}\n`);
    server.token = token;
    await client.read(never);
    redacted.push(["token-1", "token-2", "token-3"].filter((each) => redactor.redact(each) === "[redacted]").join(" "));
  }
  const sent = server.requests.map(({ headers }) => headers.authorization);
  expect(sent).toEqual(["Bearer token-1", "Bearer token-2", "Bearer token-3", "Bearer token-2"]);
  expect(redacted).toEqual(["token-1", "token-1 token-2", "token-2 token-3", "token-2 token-3"]);
});

test("the API server checks a rehearsal without changes", async () => {
  const { server, client } = await setting();
  await client.rehearse(undefined, never);
  expect(server.lease).toBeUndefined();
  server.put({ spec: { holderIdentity: "pod-b_2" } }, { labels: { "helm.sh/chart": "prtg-exporter-1.0.0" } });
  const before = structuredClone(server.lease);
  const found = await known(client);
  await client.rehearse(found, never);
  expect(server.lease).toEqual(before);
  expect(server.requests.map(({ method, path }) => `${method} ${path.split("/leases")[1]}`)).toEqual([
    "POST ?dryRun=All",
    "GET /prtg-exporter",
    "PUT /prtg-exporter?dryRun=All",
  ]);
  // Another client was faster: the Lease can be written anyway.
  server.put({});
  await client.rehearse(found, never);
  server.lease = undefined;
  await client.rehearse(found, never);
  server.allowed.delete("update");
  expect(await codeOf(client.rehearse(found, never))).toMatch(/^LEASE_FORBIDDEN: .* cannot be updated/);
  // No such namespace or kind.
  server.intercept = (_request, response) => {
    response.writeHead(404).end("no such page");
    return true;
  };
  expect(await codeOf(client.rehearse(undefined, never))).toMatch(
    /^LEASE_UNAVAILABLE: .* cannot be created \(HTTP 404\)/,
  );
});

test("the error quotes the API server on missing rights and gives the remedy", async () => {
  const { server, client } = await setting();
  server.allowed.delete("create");
  expect(await codeOf(client.create(never))).toMatch(
    /^LEASE_FORBIDDEN: the Lease monitoring\/prtg-exporter cannot be created \(HTTP 403\): .* cannot create resource "leases"$/,
  );
  server.token = "another";
  expect(await codeOf(client.read(never))).toMatch(/^LEASE_FORBIDDEN: .* cannot be read \(HTTP 401\): Unauthorized$/);
});

test.each<[string, (server: LeaseServer) => void, RegExp]>([
  [
    "fails",
    (server) => {
      server.intercept = (_request, response) => {
        response.writeHead(500).end("etcdserver: leader changed");
        return true;
      };
    },
    /^LEASE_UNAVAILABLE: .*\(HTTP 500\): etcdserver: leader changed$/,
  ],
  [
    "answers with something else",
    (server) => {
      server.intercept = (_request, response) => {
        response.end("<html>");
        return true;
      };
    },
    /^LEASE_UNAVAILABLE: the answer is not a Lease: <html>$/,
  ],
  [
    "sends to another place",
    (server) => {
      server.intercept = (_request, response) => {
        response.writeHead(307, { location: "https://127.0.0.1:9/" }).end();
        return true;
      };
    },
    /^LEASE_UNAVAILABLE: .*\(HTTP 307\): $/,
  ],
  [
    "cuts the connection",
    (server) => {
      server.intercept = (_request, response) => {
        response.destroy();
        return true;
      };
    },
    /^LEASE_UNAVAILABLE: https:\/\/127\.0\.0\.1:\d+ does not answer$/,
  ],
])("an API server that %s is unavailable", async (_what, spoil, message) => {
  const { server, client } = await setting();
  spoil(server);
  expect(await codeOf(client.read(never))).toMatch(message);
});

test("a signal ends a request, and the next one does not wait", async () => {
  const { server, client } = await setting();
  server.put({});
  server.isSilent = true;
  const over = new Error("over");
  const hanging = new AbortController();
  const asked = client.read(hanging.signal).catch((error: unknown) => error);
  while (server.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
  hanging.abort(over);
  expect(await asked).toBe(over);
  server.isSilent = false;
  expect(await client.read(never)).toMatchObject({ holder: undefined });
});

test("the client rejects a certificate of another authority", async () => {
  const { server, client } = await setting();
  await writeFile(join(server.accountFolder, "ca.crt"), certificate("prtg.example.com.pem"));
  expect(await codeOf(client.read(never))).toMatch(/^LEASE_UNAVAILABLE: /);
  expect(server.requests).toEqual([]);
});

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
