import { accessSync, constants } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";

/** Installed by scripts/install-test-programs.sh. */
export type ProgramName =
  | "prometheus-2"
  | "promtool-2"
  | "prometheus-3"
  | "promtool-3"
  | "victoria-metrics"
  | "vmagent"
  | "alertmanager"
  | "amtool"
  | "python-openmetrics"
  | "schemathesis"
  | "pytest"
  /** Python with generators of clients. */
  | "python-generators"
  | "yamllint"
  | "otel-collector"
  /** Nightly tests only. */
  | "loki"
  | "chromium"
  | "dashboard-schema"
  | "dockerfile-reader"
  | "compose-reader"
  | "actionlint"
  | "docker-registry"
  | "mcp-inspector"
  | "helm"
  | "helm-unittest"
  | "kubeconform"
  /** Folder: validates manifests. */
  | "kubernetes-api"
  /** From test/real/programs/machines.txt. */
  | `node-${string}`
  | `npm-${string}`
  | "systemd-nspawn"
  /** Windows installers: build and read. */
  | "wixl"
  | "msibuild"
  | "msiinfo"
  | "msiextract"
  /** Debian root folders: minimal, with systemd, with package tools. */
  | "debian-bare"
  | "debian-systemd"
  | "debian-tools"
  /** With a container engine. */
  | "debian-docker"
  /** For test/cluster: Kubernetes node and contents. */
  | "debian-kubernetes"
  | "coredns"
  | "helm-3"
  | "kube-apiserver"
  | "kube-controller-manager"
  | "kube-proxy"
  | "kube-scheduler"
  | "kubectl"
  | "kubelet"
  | "pause"
  | "prometheus-kubernetes"
  | "prometheus-operator"
  | "prometheus-config-reloader";

/** The install script computes the same folder. */
export function programPath(name: ProgramName): string {
  const caches = process.env.XDG_CACHE_HOME || path.join(homedir(), ".cache");
  const cache = process.env.PRTG_EXPORTER_TEST_CACHE || path.join(caches, "prtg-exporter-tests");
  return path.join(cache, "bin", name);
}

export function findProgram(name: ProgramName): string | undefined {
  const candidate = programPath(name);
  try {
    accessSync(candidate, constants.X_OK);
    return candidate;
  } catch {
    return undefined;
  }
}
