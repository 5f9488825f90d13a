import { accessSync, constants } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { describe, test } from "vitest";

/** The real programs that scripts/install-test-programs.sh installs. */
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
  | "yamllint"
  | "otel-collector"
  /** For the nightly tests only. */
  | "loki"
  | "chromium"
  | "dashboard-schema"
  | "dockerfile-reader"
  | "compose-reader"
  | "actionlint"
  | "helm"
  | "helm-unittest"
  | "kubeconform"
  /** A folder: what manifests are validated against. */
  | "kubernetes-api"
  /** Of test/real/programs/machines.txt. */
  | `node-${string}`
  | `npm-${string}`
  | "systemd-nspawn"
  /** Folders: roots of Debian systems, with little, with systemd, and with what looks at packages. */
  | "debian-bare"
  | "debian-systemd"
  | "debian-tools"
  /** With a container engine. */
  | "debian-docker"
  /** For test/cluster only: what makes a node of Kubernetes, and what is installed in it. */
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

const INSTALLER = "scripts/install-test-programs.sh";

/** Where the program would be; the install script computes the same folder. */
function programPath(name: ProgramName): string {
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

/**
 * A `describe` that needs real programs; its body is given their paths. Where one is missing, the tests are
 * skipped with a title that says why, or fail if PRTG_EXPORTER_REQUIRE_PROGRAMS=1 (as in CI).
 */
export function describeWithPrograms<Name extends ProgramName>(
  names: readonly Name[],
  title: string,
  body: (paths: Record<Name, string>) => void,
): void {
  const missing = names.filter((name) => findProgram(name) === undefined);
  const paths = Object.fromEntries(names.map((name) => [name, programPath(name)])) as Record<Name, string>;
  if (missing.length === 0) {
    describe(title, () => body(paths));
    return;
  }
  const reason = `${missing.join(" and ")} missing, install with ${INSTALLER}`;
  if (process.env.PRTG_EXPORTER_REQUIRE_PROGRAMS === "1") {
    describe(title, () => {
      test("has the programs it needs", () => {
        throw new Error(`${reason} (PRTG_EXPORTER_REQUIRE_PROGRAMS=1 makes this a failure)`);
      });
    });
    return;
  }
  // The body still runs, so that the report counts the very tests that were skipped.
  describe.skip(`${title} [skipped: ${reason}]`, () => body(paths));
}
