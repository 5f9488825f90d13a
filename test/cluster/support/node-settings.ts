import { generateKeyPairSync, randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

/** Exists only in the node's network. */
export const ADDRESS = "10.77.0.1";
export const NODE = "node1";
const PODS = "10.244.0.0/24";
const SERVICES = "10.96.0.0/16";
export const PAUSE_IMAGE = "pause.tests/pause:1";
const API_PORT = 6443;
const ETCD_PORTS = [2379, 2380] as const;

/** With groups for their rights. */
const USERS = {
  admin: { user: "admin", groups: ["system:masters"] },
  "controller-manager": { user: "system:kube-controller-manager", groups: [] },
  scheduler: { user: "system:kube-scheduler", groups: [] },
  proxy: { user: "system:kube-proxy", groups: [] },
  kubelet: { user: `system:node:${NODE}`, groups: ["system:nodes"] },
} satisfies Record<string, { user: string; groups: string[] }>;

type User = keyof typeof USERS;

type NodePrograms = Readonly<
  Record<
    "kube-apiserver" | "kube-controller-manager" | "kube-scheduler" | "kubelet" | "kube-proxy" | "coredns" | "pause",
    string
  >
>;

export interface NodeSettings {
  readonly kubeconfig: string;
  readonly commands: Readonly<
    Record<
      "containerd" | "etcd" | "apiserver" | "controllerManager" | "scheduler" | "kubelet" | "proxy" | "dns",
      string[]
    >
  >;
}

/**
 * @param folder same name inside the node
 * @param group the kubelet keeps pods below it
 */
export function writeNodeSettings(programs: NodePrograms, folder: string, group: string): NodeSettings {
  const write = (name: string, text: string) => {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text, { mode: 0o600 });
    return file;
  };
  // JSON is valid YAML.
  const writeJson = (name: string, value: unknown) => write(name, JSON.stringify(value, null, 2));
  const certificates = path.join(folder, "certificates");
  // Self-signed: clients use it as the CA.
  const authority = path.join(certificates, "apiserver.crt");
  const serviceAccounts = write("service-accounts.pem", privateKey());
  const { tokens, kubeconfigs } = credentials(authority, writeJson);
  const tokenFile = write("tokens.csv", tokens);
  const [etcdPort, peerPort] = ETCD_PORTS;
  const [etcd, peer] = [`http://127.0.0.1:${etcdPort}`, `http://127.0.0.1:${peerPort}`];
  writeJson("cni/10-pods.conflist", podNetwork());
  return {
    kubeconfig: kubeconfigs.admin,
    commands: {
      containerd: ["containerd", `--config=${write("containerd.toml", containerd(folder))}`],
      etcd: [
        "etcd",
        `--data-dir=${folder}/etcd`,
        ...[`--listen-client-urls=${etcd}`, `--advertise-client-urls=${etcd}`],
        ...[`--listen-peer-urls=${peer}`, `--initial-advertise-peer-urls=${peer}`, `--initial-cluster=default=${peer}`],
        // Nothing here outlives the test.
        "--unsafe-no-fsync",
      ],
      apiserver: [
        programs["kube-apiserver"],
        ...[`--etcd-servers=${etcd}`, `--cert-dir=${certificates}`, `--service-cluster-ip-range=${SERVICES}`],
        ...["--bind-address=0.0.0.0", `--advertise-address=${ADDRESS}`, `--secure-port=${API_PORT}`],
        ...[`--token-auth-file=${tokenFile}`, "--authorization-mode=Node,RBAC"],
        "--enable-admission-plugins=NodeRestriction",
        ...["--service-account-issuer=https://kubernetes.default.svc", `--service-account-key-file=${serviceAccounts}`],
        `--service-account-signing-key-file=${serviceAccounts}`,
        "--kubelet-preferred-address-types=InternalIP",
      ],
      controllerManager: [
        programs["kube-controller-manager"],
        ...[`--kubeconfig=${kubeconfigs["controller-manager"]}`, "--bind-address=127.0.0.1", "--leader-elect=false"],
        ...[`--service-account-private-key-file=${serviceAccounts}`, `--root-ca-file=${authority}`],
        "--use-service-account-credentials",
      ],
      scheduler: [
        programs["kube-scheduler"],
        ...[`--kubeconfig=${kubeconfigs.scheduler}`, "--bind-address=127.0.0.1", "--leader-elect=false"],
      ],
      kubelet: [
        programs.kubelet,
        `--config=${writeJson("kubelet.json", kubelet(write("resolv.conf", ""), group))}`,
        ...[`--kubeconfig=${kubeconfigs.kubelet}`, `--root-dir=${folder}/kubelet`, `--cert-dir=${folder}/kubelet-pki`],
        ...[`--hostname-override=${NODE}`, `--node-ip=${ADDRESS}`],
      ],
      proxy: [
        programs["kube-proxy"],
        ...[`--kubeconfig=${kubeconfigs.proxy}`, `--hostname-override=${NODE}`, `--cluster-cidr=${PODS}`],
        "--proxy-mode=iptables",
        // They belong to the whole machine.
        ...["--conntrack-max-per-core=0", "--conntrack-min=0"],
        ...["--conntrack-tcp-timeout-established=0s", "--conntrack-tcp-timeout-close-wait=0s"],
      ],
      dns: [programs.coredns, `-conf=${write("Corefile", names(kubeconfigs.admin))}`],
    },
  };
}

function privateKey(): string {
  const { privateKey: key } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  return key.export({ type: "pkcs8", format: "pem" }).toString();
}

function credentials(
  authority: string,
  writeJson: (name: string, value: unknown) => string,
): { tokens: string; kubeconfigs: Record<User, string> } {
  const lines: string[] = [];
  const write = (name: User): string => {
    const token = randomBytes(16).toString("hex");
    const { user, groups } = USERS[name];
    lines.push(`${token},${user},${name}${groups.map((group) => `,${group}`).join("")}\n`);
    return writeJson(`${name}.kubeconfig`, {
      apiVersion: "v1",
      kind: "Config",
      clusters: [
        { name: "tests", cluster: { server: `https://${ADDRESS}:${API_PORT}`, "certificate-authority": authority } },
      ],
      users: [{ name, user: { token } }],
      contexts: [{ name: "tests", context: { cluster: "tests", user: name } }],
      "current-context": "tests",
    });
  };
  const kubeconfigs = {
    admin: write("admin"),
    "controller-manager": write("controller-manager"),
    scheduler: write("scheduler"),
    proxy: write("proxy"),
    kubelet: write("kubelet"),
  };
  return { tokens: lines.join(""), kubeconfigs };
}

function containerd(folder: string): string {
  const cri = 'plugins."io.containerd.grpc.v1.cri"';
  return `version = 2
root = "${folder}/containerd"
state = "/run/containerd"
[${cri}]
  sandbox_image = "${PAUSE_IMAGE}"
  disable_apparmor = true
  # Where this process may not lower it, it need not try.
  restrict_oom_score_adj = true
[${cri}.containerd]
  snapshotter = "overlayfs"
[${cri}.containerd.runtimes.runc]
  runtime_type = "io.containerd.runc.v2"
[${cri}.cni]
  bin_dir = "/usr/lib/cni"
  conf_dir = "${folder}/cni"
`;
}

/** A bridge would need more from the kernel. */
function podNetwork(): unknown {
  const ipam = { type: "host-local", ranges: [[{ subnet: PODS }]], routes: [{ dst: "0.0.0.0/0" }] };
  return { cniVersion: "1.0.0", name: "pods", plugins: [{ type: "ptp", ipam }] };
}

function kubelet(resolvConf: string, group: string): unknown {
  return {
    apiVersion: "kubelet.config.k8s.io/v1beta1",
    kind: "KubeletConfiguration",
    containerRuntimeEndpoint: "unix:///run/containerd/containerd.sock",
    // Only the API server and test pods can reach it.
    authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
    authorization: { mode: "AlwaysAllow" },
    address: ADDRESS,
    healthzBindAddress: "127.0.0.1",
    clusterDNS: [ADDRESS],
    clusterDomain: "cluster.local",
    resolvConf,
    cgroupDriver: "cgroupfs",
    cgroupRoot: group,
    failCgroupV1: false,
    failSwapOn: false,
    oomScoreAdj: 0,
    localStorageCapacityIsolation: false,
    // Delay until a changed Secret reaches a pod's files.
    syncFrequency: "5s",
    // Test machines may have full disks.
    evictionHard: { "memory.available": "50Mi", "nodefs.available": "1%", "imagefs.available": "1%" },
    imageGCHighThresholdPercent: 100,
  };
}

function names(kubeconfig: string): string {
  return `.:53 {
  bind ${ADDRESS}
  errors
  kubernetes cluster.local in-addr.arpa ip6.arpa {
    kubeconfig ${kubeconfig}
  }
}
`;
}
