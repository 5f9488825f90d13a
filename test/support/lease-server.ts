import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { certificate, keyPair } from "./certificates.ts";
import { listenOnLoopback } from "./loopback.ts";

/** Wire format of a Lease. */
interface LeaseObject {
  apiVersion?: string;
  kind?: string;
  metadata: Record<string, unknown> & { resourceVersion?: string };
  spec?: Record<string, unknown> & { holderIdentity?: string; renewTime?: string; leaseTransitions?: number };
}

export interface LeaseRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: LeaseObject | undefined;
}

export interface LeaseServer {
  readonly host: string;
  readonly port: number;
  /** Like Kubernetes' mount: `token`, `ca.crt`, `namespace`. */
  readonly accountFolder: string;
  readonly requests: readonly LeaseRequest[];
  /** Undefined: no Lease. */
  lease: LeaseObject | undefined;
  /** The only accepted token. */
  token: string;
  /** Rights of the role. */
  readonly allowed: Set<"get" | "update" | "create">;
  /** Replaces the server's answer if it returns true. */
  intercept: ((request: LeaseRequest, response: ServerResponse) => boolean) | undefined;
  /** No answers on open or new connections. */
  isSilent: boolean;
  put(lease: Omit<LeaseObject, "metadata">, metadata?: Record<string, unknown>): void;
  close(): Promise<void>;
}

export const NAMESPACE = "monitoring";
export const LEASE_NAME = "prtg-exporter";
const LIST = `/apis/coordination.k8s.io/v1/namespaces/${NAMESPACE}/leases`;

/** TLS, tokens, rights and versions, as one Lease needs. `close` it. */
export async function startLeaseServer(): Promise<LeaseServer> {
  const accountFolder = await mkdtemp(join(tmpdir(), "service-account-"));
  await writeFile(join(accountFolder, "token"), "token-1\n");
  await writeFile(join(accountFolder, "ca.crt"), certificate("ca.pem"));
  await writeFile(join(accountFolder, "namespace"), NAMESPACE);
  let version = 100;
  const requests: LeaseRequest[] = [];
  const next = () => String(++version);

  const answer = (response: ServerResponse, status: number, body: unknown): void => {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(body));
  };
  const refuse = (response: ServerResponse, code: number, reason: string, message: string): void =>
    answer(response, code, { kind: "Status", apiVersion: "v1", status: "Failure", message, reason, code });

  const handle = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const { method = "", url: path = "", headers } = incoming;
    const body: LeaseObject | undefined = text === "" ? undefined : JSON.parse(text);
    const request = { method, path, headers, body };
    requests.push(request);
    if (server.isSilent || server.intercept?.(request, response) === true) return;
    if (headers.authorization !== `Bearer ${server.token}`)
      return refuse(response, 401, "Unauthorized", "Unauthorized");
    const [place, parameters] = path.split("?");
    const isStored = parameters !== "dryRun=All";
    const isList = place === LIST;
    if (!isList && place !== `${LIST}/${LEASE_NAME}`) return refuse(response, 404, "NotFound", "no such path");
    const verb = method === "GET" ? "get" : method === "PUT" ? "update" : "create";
    if (!server.allowed.has(verb)) {
      const message = `leases.coordination.k8s.io "${LEASE_NAME}" is forbidden: User "system:serviceaccount:${NAMESPACE}:prtg-exporter" cannot ${verb} resource "leases"`;
      return refuse(response, 403, "Forbidden", message);
    }
    const known = server.lease;
    if (verb === "create") {
      if (known !== undefined || body === undefined) return refuse(response, 409, "AlreadyExists", "already exists");
      const created = { ...body, metadata: { ...body.metadata, resourceVersion: isStored ? next() : "" } };
      if (isStored) server.lease = created;
      return answer(response, 201, created);
    }
    if (known === undefined) return refuse(response, 404, "NotFound", `leases "${LEASE_NAME}" not found`);
    if (verb === "update") {
      if (body === undefined || body.metadata.resourceVersion !== known.metadata.resourceVersion) {
        return refuse(response, 409, "Conflict", "the object has been modified");
      }
      if (!isStored) return answer(response, 200, body);
      server.lease = { ...body, metadata: { ...body.metadata, resourceVersion: next() } };
    }
    return answer(response, 200, server.lease);
  };

  const listener = createServer(keyPair("localhost"), (incoming, response) => {
    handle(incoming, response).catch((error) => response.destroy(error));
  });
  const listening = await listenOnLoopback(listener);
  const server: LeaseServer = {
    host: "127.0.0.1",
    port: listening.port,
    accountFolder,
    requests,
    lease: undefined,
    token: "token-1",
    allowed: new Set(["get", "update", "create"]),
    intercept: undefined,
    isSilent: false,
    put: (lease, metadata = {}) => {
      const named = { name: LEASE_NAME, namespace: NAMESPACE, ...metadata, resourceVersion: next() };
      server.lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", ...lease, metadata: named };
    },
    close: async () => {
      await listening.close();
      await rm(accountFolder, { recursive: true, force: true });
    },
  };
  return server;
}
