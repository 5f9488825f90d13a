import { expect, vi } from "vitest";
import { z } from "zod";
import { CHART, valuesFile } from "../../real/support/helm.ts";
import type { HelmName, KubernetesNode } from "./kubernetes-node.ts";

/** Name of the release in each namespace, and of its workload. */
export const RELEASE = "prtg";
const WORKLOAD = "prtg-prtg-exporter";
const SELECTOR = `--selector=app.kubernetes.io/name=prtg-exporter,app.kubernetes.io/instance=${RELEASE}`;
const WAIT = ["--wait", "--timeout=180s"];
const PAGE_LIMIT = { timeout: 90_000, interval: 500 };

const header = z.object({ name: z.string(), value: z.string() });
const exporter = z.object({
  ports: z.tuple([z.object({ containerPort: z.number() })]),
  readinessProbe: z.object({
    httpGet: z.object({ scheme: z.string(), httpHeaders: z.array(header).default([]) }),
  }),
});
const pods = z.object({
  items: z.array(
    z.object({
      metadata: z.object({ name: z.string(), uid: z.string(), deletionTimestamp: z.string().optional() }),
      spec: z.object({ containers: z.tuple([exporter], z.unknown()) }),
      status: z.object({
        podIP: z.string(),
        containerStatuses: z.tuple([z.object({ restartCount: z.number(), containerID: z.string() })], z.unknown()),
      }),
    }),
  ),
});

interface ExporterPod {
  readonly name: string;
  readonly uid: string;
  readonly restarts: number;
  /** containerd's id. */
  readonly container: string;
  /** With the credentials of its probes. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

const PAGE_SCRIPT = `
process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
const [, url, headers] = process.argv;
const answer = await fetch(url, { headers: JSON.parse(headers) });
const text = await answer.text();
if (!answer.ok) throw new Error(answer.status + " " + text);
process.stdout.write(text);
`;

/** In its own namespace. */
export class Release {
  readonly namespace: string;
  readonly #node: KubernetesNode;
  readonly #helm: HelmName;
  readonly #settings: readonly string[];

  private constructor(node: KubernetesNode, helm: HelmName, namespace: string, settings: readonly string[]) {
    this.namespace = namespace;
    this.#node = node;
    this.#helm = helm;
    this.#settings = settings;
  }

  /** Waits like Helm. @param flags also for upgrades */
  static async install(
    node: KubernetesNode,
    { helm = "helm", name, title, flags = [] }: ReleaseOptions,
  ): Promise<Release> {
    const namespace = await node.createNamespace(title);
    const release = new Release(node, helm, namespace, [`--values=${valuesFile(name)}`, ...flags]);
    await release.helm(["install", RELEASE, CHART, ...WAIT, ...release.#settings]);
    return release;
  }

  /** @throws Error with the namespace's events */
  async helm(args: readonly string[]): Promise<string> {
    const command = [...args, `--namespace=${this.namespace}`];
    const { code, stdout, stderr } = await this.#node.helm(this.#helm, command);
    if (code === 0) return stdout;
    const events = await this.kubectl(["get", "events", "--sort-by=.lastTimestamp"]);
    throw new Error(`${this.#helm} ${command.join(" ")}: ${stderr}${stdout}\n${events}`);
  }

  async upgrade(...flags: string[]): Promise<void> {
    await this.helm(["upgrade", RELEASE, CHART, ...WAIT, ...this.#settings, ...flags]);
  }

  kubectl(args: readonly string[], options: { input?: string; timeoutMs?: number } = {}): Promise<string> {
    // Arguments after `--` go to the pod's program.
    return this.#node.kubectl([`--namespace=${this.namespace}`, ...args], options);
  }

  /** Pods that are not terminating. */
  async pods(): Promise<ExporterPod[]> {
    const { items } = pods.parse(await this.#node.get(["pods", SELECTOR, `--namespace=${this.namespace}`]));
    return items
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map(({ metadata, spec, status }) => {
        const { ports, readinessProbe } = spec.containers[0];
        const { scheme, httpHeaders } = readinessProbe.httpGet;
        return {
          name: metadata.name,
          uid: metadata.uid,
          restarts: status.containerStatuses[0].restartCount,
          container: status.containerStatuses[0].containerID.replace(/^containerd:\/\//, ""),
          url: `${scheme.toLowerCase()}://${status.podIP}:${ports[0].containerPort}/metrics`,
          headers: Object.fromEntries(httpHeaders.map(({ name, value }) => [name, value])),
        };
      });
  }

  /** Resolves while they terminate but still answer. */
  async deletePods(): Promise<void> {
    await this.kubectl(["delete", "pods", SELECTOR, "--wait=false"]);
  }

  async noneEnds(): Promise<void> {
    const pods = ["get", "pods", SELECTOR, "--output=jsonpath={.items[*].metadata.deletionTimestamp}"];
    await vi.waitFor(async () => expect(await this.kubectl(pods)).toBe(""), PAGE_LIMIT);
  }

  /** Its Deployment has the desired state. */
  async ready(): Promise<void> {
    await this.kubectl(["rollout", "status", `deployment/${WORKLOAD}`, "--timeout=120s"], { timeoutMs: 130_000 });
  }

  /** Like the kernel when memory runs out. */
  async kill(): Promise<void> {
    for (const { container } of await this.pods()) await this.#node.kill(container);
  }

  page({ url, headers }: ExporterPod): Promise<string> {
    return this.#node.evaluate(PAGE_SCRIPT, [url, JSON.stringify(headers)]);
  }

  /** Pages that together show `count` answering servers with sensors. With a late server, health recovers before the tree. */
  async pagesWithServers(count: number): Promise<string[]> {
    return await vi.waitFor(async () => {
      const pages = await Promise.all((await this.pods()).map((pod) => this.page(pod)));
      const up = pages.flatMap((page) => [...page.matchAll(/^prtg_up\{[^}]*\} (\S+)$/gm)].map(([, value]) => value));
      expect(up).toEqual(Array.from({ length: count }, () => "1"));
      const withSensors = pages.filter((page) => /^prtg_sensor_status\{/m.test(page));
      expect(withSensors).not.toEqual([]);
      return pages;
    }, PAGE_LIMIT);
  }

  /** Address of its page through the Service. */
  async serviceUrl(): Promise<string> {
    return `${await this.originOf(WORKLOAD)}/metrics`;
  }

  /** Like `http://10.96.0.17:9705`. */
  async originOf(name: string): Promise<string> {
    const service = z.object({
      spec: z.object({ clusterIP: z.string(), ports: z.tuple([z.object({ port: z.number() })]) }),
    });
    const { spec } = service.parse(await this.#node.get(["service", name, `--namespace=${this.namespace}`]));
    return `http://${spec.clusterIP}:${spec.ports[0].port}`;
  }

  /** Does not wait for terminating pods. */
  async remove(): Promise<void> {
    await this.kubectl(["delete", "deployments,statefulsets,replicasets", "--all", "--cascade=orphan"]);
    await this.kubectl(["delete", "pods", "--all", "--grace-period=1", "--wait=false"]);
    await this.#node.kubectl(["delete", "namespace", this.namespace, "--timeout=120s"], { timeoutMs: 130_000 });
  }
}

export interface ReleaseOptions {
  readonly helm?: HelmName;
  /** Values file. */
  readonly name: string;
  /** Namespace. */
  readonly title: string;
  readonly flags?: readonly string[];
}
