import { isIPv6 } from "node:net";
import { join } from "node:path";
import { ExporterError } from "../errors/exporter-error.ts";
import type { Redactor } from "../errors/redactor.ts";

export const SERVICE_ACCOUNT_FOLDER = "/var/run/secrets/kubernetes.io/serviceaccount";

/** Access of a pod to the API server. */
export interface ServiceAccount {
  /** `https://10.96.0.1:443` */
  readonly origin: string;
  readonly namespace: string;
  /** PEM */
  readonly readCa: () => Promise<string>;
  /** Kubernetes renews the file long before a token expires. */
  readonly readToken: () => Promise<string>;
}

interface ServiceAccountOptions {
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly readFile: (path: string) => Promise<string>;
  readonly redactor: Redactor;
}

/** @throws ExporterError NOT_IN_CLUSTER without a pod's variables or files */
export async function openServiceAccount(options: ServiceAccountOptions): Promise<ServiceAccount> {
  const { folder, env, redactor } = options;
  const { KUBERNETES_SERVICE_HOST: host = "", KUBERNETES_SERVICE_PORT: port = "" } = env;
  if (host === "" || port === "") {
    const message =
      "KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set: the exporter does not run in a pod";
    throw new ExporterError("NOT_IN_CLUSTER", message);
  }
  const read = async (name: string): Promise<string> => {
    try {
      return (await options.readFile(join(folder, name))).trim();
    } catch (cause) {
      throw new ExporterError("NOT_IN_CLUSTER", `${join(folder, name)} cannot be read`, { cause });
    }
  };
  let known = "";
  // It is still valid, and a late response may quote it.
  let retired = "";
  const readToken = async (): Promise<string> => {
    const token = await read("token");
    if (token === known) return token;
    if (retired !== token) redactor.remove(retired);
    redactor.add(token);
    [retired, known] = [known, token];
    return token;
  };
  const [namespace] = await Promise.all([read("namespace"), read("ca.crt"), readToken()]);
  const origin = `https://${isIPv6(host) ? `[${host}]` : host}:${port}`;
  return { origin, namespace, readCa: () => read("ca.crt"), readToken };
}
