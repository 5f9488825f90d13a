import { mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { load } from "js-yaml";
import { vi } from "vitest";
import { z } from "zod";
import { programBehind } from "../../containers/support/stand-in-bases.ts";
import { IMAGE, IMAGE_PROGRAMS } from "../../containers/support/stand-in-images.ts";
import type { BackgroundProgram } from "../../real/support/background-program.ts";
import { CHART } from "../../real/support/helm.ts";
import type { ProgramName } from "../../real/support/program-paths.ts";
import type { ProgramResult } from "../../real/support/run-program.ts";
import { definitionFiles, restrictedNamespace, storageObjects } from "./cluster-objects.ts";
import { NodeMachine } from "./node-machine.ts";
import { ADDRESS, NODE, type NodeSettings, PAUSE_IMAGE, writeNodeSettings } from "./node-settings.ts";
import { type ProgramImage, writeProgramImage } from "./program-image.ts";

export const CLUSTER_PROGRAMS = [
  ...IMAGE_PROGRAMS,
  ...(["debian-kubernetes", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubelet"] as const),
  ...(["kube-proxy", "kubectl", "coredns", "pause", "kubernetes-api", "helm", "helm-3"] as const),
] satisfies ProgramName[];
export type ClusterPrograms = Readonly<Record<(typeof CLUSTER_PROGRAMS)[number], string>>;
export type HelmName = "helm" | "helm-3";

const CHART_IMAGE = chartImage();
/** The containerd client, for what the kubelet sees. */
const CONTAINERS = ["ctr", "--namespace=k8s.io"];
const START_LIMIT_MS = 180_000;
const HELM_LIMIT_MS = 300_000;
/** Without a registry. */
const asImported = (name: string) => `docker.io/library/${name}`;

/** A single-node cluster without outside network. */
export class KubernetesNode {
  readonly #programs: ClusterPrograms;
  readonly #folder: string;
  readonly #machine: NodeMachine;
  readonly #settings: NodeSettings;
  readonly #running = new Map<string, BackgroundProgram>();

  private constructor(programs: ClusterPrograms, folder: string, machine: NodeMachine) {
    this.#programs = programs;
    this.#folder = folder;
    this.#machine = machine;
    this.#settings = writeNodeSettings(programs, folder, machine.group);
  }

  /**
   * @param run contains `folder`, not on an overlay file system
   * @param archive images
   * @throws Error with all logs if the node does not become ready
   */
  static async start(
    programs: ClusterPrograms,
    { run, folder, archive }: { readonly run: string; readonly folder: string; readonly archive: string },
  ): Promise<KubernetesNode> {
    mkdirSync(folder, { recursive: true });
    const machine = await NodeMachine.start({
      root: programs["debian-kubernetes"],
      folder,
      visible: [run, cacheOf(programs.kubelet)],
      firstProcess: programBehind(programs.pause),
      address: ADDRESS,
    });
    const node = new KubernetesNode(programs, folder, machine);
    try {
      await node.#startPrograms(archive);
      await node.#addObjects();
      return node;
    } catch (error) {
      const log = node.log();
      await node.close();
      throw new Error(`the node does not start: ${log}`, { cause: error });
    }
  }

  log(): string {
    return [...this.#running].map(([name, program]) => `--- ${name}\n${program.log().slice(-2_000)}`).join("\n");
  }

  /** @returns standard output. @throws Error if it fails */
  async kubectl(args: readonly string[], { input = "", timeoutMs = 120_000 } = {}): Promise<string> {
    const command = [this.#programs.kubectl, `--kubeconfig=${this.#settings.kubeconfig}`, ...args];
    const { code, stdout, stderr } = await this.#machine.runInNetwork(command, input, timeoutMs, this.#environment());
    if (code !== 0) throw new Error(`kubectl ${args.join(" ")}: ${stderr}${stdout}`);
    return stdout;
  }

  async get(args: readonly string[]): Promise<unknown> {
    return JSON.parse(await this.kubectl(["get", ...args, "--output=json"]));
  }

  async apply(objects: readonly unknown[]): Promise<void> {
    const input = JSON.stringify({ apiVersion: "v1", kind: "List", items: objects });
    await this.kubectl(["apply", "--server-side", "--filename=-"], { input });
  }

  /** With the policy «restricted». */
  async createNamespace(name: string): Promise<string> {
    await this.apply([restrictedNamespace(name)]);
    // Kubernetes rejects pods without it.
    await this.kubectl(["wait", "--for=create", "serviceaccount/default", `--namespace=${name}`, "--timeout=60s"]);
    return name;
  }

  helm(name: HelmName, args: readonly string[]): Promise<ProgramResult> {
    const command = [this.#programs[name], ...args, `--kubeconfig=${this.#settings.kubeconfig}`];
    return this.#machine.runInNetwork(command, "", HELM_LIMIT_MS, this.#environment());
  }

  async evaluate(script: string, args: readonly string[] = []): Promise<string> {
    const { code, stdout, stderr } = await this.#machine.runInNetwork(nodeCommand(script, args));
    if (code !== 0) throw new Error(stderr);
    return stdout;
  }

  startScript(script: string, args: readonly string[] = []): BackgroundProgram {
    return this.startInNetwork(nodeCommand(script, args));
  }

  /** Pods reach it at the node's address. */
  startInNetwork(command: readonly string[]): BackgroundProgram {
    return this.#machine.startInNetwork(command);
  }

  /** Next to the cluster. Ends with the node. */
  startProgram(program: string, args: readonly string[]): BackgroundProgram {
    const running = this.#machine.start(["env", `KUBECONFIG=${this.#settings.kubeconfig}`, program, ...args]);
    this.#running.set(path.basename(program), running);
    return running;
  }

  async addImage(image: ProgramImage): Promise<void> {
    await this.#machine.run([...CONTAINERS, "images", "import", await writeProgramImage(image, this.#folder)]);
  }

  async kill(container: string): Promise<void> {
    await this.#machine.run([...CONTAINERS, "tasks", "kill", "--signal=SIGKILL", container]);
  }

  close(): Promise<void> {
    return this.#machine.close();
  }

  async #startPrograms(archive: string): Promise<void> {
    const containerd = this.#start("containerd");
    this.#start("etcd");
    this.#start("apiserver");
    await containerd.waitForLog(/containerd successfully booted/, START_LIMIT_MS);
    await this.#importImages(archive);
    await vi.waitFor(() => this.kubectl(["get", "--raw=/readyz"]), { timeout: START_LIMIT_MS, interval: 500 });
    for (const name of ["controllerManager", "scheduler", "kubelet", "proxy", "dns"] as const) this.#start(name);
    await this.kubectl(["wait", "--for=create", `node/${NODE}`, "--timeout=120s"], { timeoutMs: START_LIMIT_MS });
    await this.kubectl(["wait", "--for=condition=Ready", `node/${NODE}`, "--timeout=120s"], {
      timeoutMs: START_LIMIT_MS,
    });
  }

  #start(name: keyof NodeSettings["commands"]): BackgroundProgram {
    const program = this.#machine.start(this.#settings.commands[name]);
    this.#running.set(name, program);
    return program;
  }

  async #importImages(archive: string): Promise<void> {
    await this.addImage({ name: PAUSE_IMAGE, program: this.#programs.pause, entrypoint: "/pause" });
    await this.#machine.run([...CONTAINERS, "images", "import", archive], START_LIMIT_MS);
    await this.#machine.run([...CONTAINERS, "images", "tag", asImported(IMAGE), CHART_IMAGE]);
  }

  async #addObjects(): Promise<void> {
    await this.apply(storageObjects(this.#folder));
    const files = definitionFiles(this.#programs["kubernetes-api"]).map((file) => `--filename=${file}`);
    await this.kubectl(["create", ...files], { timeoutMs: START_LIMIT_MS });
    await this.kubectl(["wait", "--for=condition=Established", "crd", "--all", "--timeout=60s"]);
  }

  #environment(): NodeJS.ProcessEnv {
    // kubectl caches by address, which an earlier cluster used too.
    return { ...process.env, HOME: this.#folder, KUBECACHEDIR: path.join(this.#folder, "cache") };
  }
}

function nodeCommand(script: string, args: readonly string[]): string[] {
  return [process.execPath, "--input-type=module", "--eval", script, "--", ...args];
}

/** Of the install script. */
function cacheOf(program: string): string {
  return path.dirname(path.dirname(programBehind(program)));
}

function chartImage(): string {
  const read = (file: string): unknown => load(readFileSync(path.join(CHART, file), "utf8"));
  const { image } = z
    .object({ image: z.object({ registry: z.string(), repository: z.string() }) })
    .parse(read("values.yaml"));
  const { appVersion } = z.object({ appVersion: z.string() }).parse(read("Chart.yaml"));
  return `${image.registry}/${image.repository}:${appVersion}`;
}
