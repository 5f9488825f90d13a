import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Agent, fetch } from "undici";
import { z } from "zod";
import { freePort } from "../../support/free-port.ts";
import { type BackgroundProgram, startInBackground } from "./background-program.ts";

const TOKEN = "token-of-the-tests";
const START_LIMIT_MS = 120_000;
const YAML = "application/yaml";
/** What clients ask first: all kinds of all groups in one document. */
const DISCOVERY = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

const discovery = z.object({
  items: z.array(
    z.object({
      metadata: z.object({ name: z.string().default("") }),
      versions: z.array(
        z.object({ version: z.string(), resources: z.array(z.object({ resource: z.string() })).default([]) }),
      ),
    }),
  ),
});

/** A real API server of Kubernetes with its etcd, and nothing that would run a pod. */
export interface KubernetesApi {
  /** Path of a kubeconfig for Helm. */
  readonly kubeconfig: string;
  get(resource: string): Promise<unknown>;
  /**
   * Resolves when the resource (`apis/<group>/<version>/<plural>`) can be read and clients can find it, both of which is
   * so some time after its CRD is created, in no order.
   */
  waitFor(resource: string): Promise<void>;
  /** Creates an object from JSON or YAML. @throws Error when the API server refuses it */
  create(resource: string, object: string): Promise<void>;
  stop(): Promise<void>;
}

export async function startKubernetesApi(
  programs: { readonly "kube-apiserver": string; readonly etcd: string },
  folder: string,
): Promise<KubernetesApi> {
  const [clientPort, peerPort, port] = [await freePort(), await freePort(), await freePort()];
  const etcd = startEtcd(programs.etcd, folder, clientPort, peerPort);
  const url = `https://127.0.0.1:${port}`;
  const server = startServer(programs["kube-apiserver"], folder, clientPort, port);
  const agent = new Agent({ connect: { rejectUnauthorized: false } });
  const request = async (resource: string, init: { method?: string; body?: string; accept?: string } = {}) => {
    const { method = "GET", body, accept = "*/*" } = init;
    const headers = { authorization: `Bearer ${TOKEN}`, "content-type": YAML, accept };
    const answer = await fetch(`${url}/${resource}`, { dispatcher: agent, method, headers, ...(body && { body }) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${resource}: ${answer.status} ${text}`);
    return text;
  };
  const stop = async () => {
    await agent.destroy();
    await server.stop("SIGKILL");
    await etcd.stop("SIGKILL");
  };
  try {
    await untilAnswered(() => request("readyz"), server);
  } catch (error) {
    await stop();
    throw new Error(`the API server did not start: ${server.log()}`, { cause: error });
  }
  return {
    kubeconfig: writeKubeconfig(folder, url),
    get: async (resource) => JSON.parse(await request(resource)),
    waitFor: (resource) =>
      untilAnswered(async () => {
        await request(resource);
        if (!namesIn(await request("apis", { accept: DISCOVERY })).includes(resource)) {
          throw new Error(`${resource} is in no list of resources`);
        }
      }, server),
    create: async (resource, object) => void (await request(resource, { method: "POST", body: object })),
    stop,
  };
}

function startEtcd(binary: string, folder: string, clientPort: number, peerPort: number): BackgroundProgram {
  const [client, peer] = [`http://127.0.0.1:${clientPort}`, `http://127.0.0.1:${peerPort}`];
  return startInBackground(binary, [
    `--data-dir=${path.join(folder, "etcd")}`,
    ...[`--listen-client-urls=${client}`, `--advertise-client-urls=${client}`],
    ...[`--listen-peer-urls=${peer}`, `--initial-advertise-peer-urls=${peer}`, `--initial-cluster=default=${peer}`],
    // Nothing here outlives the test.
    "--unsafe-no-fsync",
  ]);
}

function startServer(binary: string, folder: string, etcdPort: number, port: number): BackgroundProgram {
  mkdirSync(folder, { recursive: true });
  const key = path.join(folder, "service-accounts.pem");
  execFileSync("openssl", ["genrsa", "-out", key, "2048"], { stdio: "ignore" });
  const tokens = path.join(folder, "tokens.csv");
  writeFileSync(tokens, `${TOKEN},tests,1,"system:masters"\n`);
  return startInBackground(binary, [
    `--etcd-servers=http://127.0.0.1:${etcdPort}`,
    ...["--bind-address=127.0.0.1", `--secure-port=${port}`, `--cert-dir=${path.join(folder, "certificates")}`],
    ...["--service-account-issuer=https://kubernetes.default.svc", `--service-account-key-file=${key}`],
    ...[`--service-account-signing-key-file=${key}`, `--token-auth-file=${tokens}`, "--authorization-mode=RBAC"],
    // Two families, so that Services can have both.
    "--service-cluster-ip-range=10.0.0.0/24,fd00:10::/112",
  ]);
}

/** As paths below the server's root. */
function namesIn(list: string): string[] {
  return discovery
    .parse(JSON.parse(list))
    .items.flatMap(({ metadata, versions }) =>
      versions.flatMap(({ version, resources }) =>
        resources.map(({ resource }) => `apis/${metadata.name}/${version}/${resource}`),
      ),
    );
}

async function untilAnswered(ask: () => Promise<unknown>, server: BackgroundProgram): Promise<void> {
  const deadline = Date.now() + START_LIMIT_MS;
  for (;;) {
    try {
      await ask();
      return;
    } catch (error) {
      server.throwIfEnded();
      if (Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

function writeKubeconfig(folder: string, server: string): string {
  const file = path.join(folder, "kubeconfig");
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "tests", cluster: { server, "insecure-skip-tls-verify": true } }],
    users: [{ name: "tests", user: { token: TOKEN } }],
    contexts: [{ name: "tests", context: { cluster: "tests", user: "tests" } }],
    "current-context": "tests",
  };
  // Every JSON document is a YAML document.
  writeFileSync(file, JSON.stringify(config));
  return file;
}
