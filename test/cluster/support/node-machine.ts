import { mkdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { type BackgroundProgram, startInBackground } from "../../real/support/background-program.ts";
import { type ProgramResult, runProgram } from "../../real/support/run-program.ts";

export interface MachineOptions {
  /** A Debian system with what runs containers: `debian-kubernetes` of the install script. */
  readonly root: string;
  /** For what it writes; not below an overlay file system. */
  readonly folder: string;
  /** Folders of this machine that it sees under the same names; one of them has `folder` in it. */
  readonly visible: readonly string[];
  /** Its first process, which reaps: `pause` of the install script. */
  readonly firstProcess: string;
  /** Of its one network interface. */
  readonly address: string;
}

/**
 * What a kubelet wants of the kernel, for the whole machine. It reads each, and writes what differs: here it reads files of ours that lie
 * over them, and the machine stays as it was.
 */
const KERNEL_SETTINGS = {
  "vm/overcommit_memory": 1,
  "vm/panic_on_oom": 0,
  "kernel/panic": 10,
  "kernel/panic_on_oops": 1,
  "kernel/keys/root_maxkeys": 1_000_000,
  "kernel/keys/root_maxbytes": 25_000_000,
};

/*
 * As the container engine of test/containers: a Debian system as the root, through a layer that takes what is written, in namespaces that
 * end with their first process. Groups of processes are the machine's, below one of our own.
 */
const SETUP = `
set -e
root=$FOLDER/root
mount --make-rprivate /
mkdir -p "$FOLDER/upper" "$FOLDER/work" "$root"
mount -t overlay overlay -o "lowerdir=$SYSTEM,upperdir=$FOLDER/upper,workdir=$FOLDER/work" "$root"
mount -t proc proc "$root/proc"
mount -t sysfs sysfs "$root/sys"
mount --rbind /sys/fs/cgroup "$root/sys/fs/cgroup"
mount --rbind /dev "$root/dev"
for name in run tmp; do mount -t tmpfs tmpfs "$root/$name"; done
for folder in $VISIBLE; do mkdir -p "$root$folder" && mount --bind "$folder" "$root$folder"; done
mkdir -p "$root/.machine" && cd "$root" && pivot_root . .machine && cd / && umount --lazy /.machine
mount --make-rshared /
while read -r name value; do
  [ -e "/proc/sys/$name" ] || continue
  mkdir -p "/run/kernel-settings/$(dirname "$name")"
  echo "$value" >"/run/kernel-settings/$name"
  mount --bind "/run/kernel-settings/$name" "/proc/sys/$name"
done <<<"$KERNEL_SETTINGS"
for hierarchy in $HIERARCHIES; do
  # Since version 2 of control groups each kind of limit is passed on where it is asked for.
  for kind in $(cat "$hierarchy/cgroup.controllers" 2>/dev/null); do echo "+$kind" >"$hierarchy/cgroup.subtree_control" || true; done
  mkdir -p "$hierarchy/$GROUP"
done
echo 00000000000000000000000000000001 >/etc/machine-id
ip link set lo up
# An address that is none of the loopback interface, and a way to all others, which ends at once.
ip link add node type veth peer name nowhere
ip addr add "$ADDRESS/24" dev node
ip link set node up
ip link set nowhere up
ip route add default dev node
echo "The machine is set up."
exec "$FIRST_PROCESS"
`;

const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
const GROUPS = "/sys/fs/cgroup";
const START_LIMIT_MS = 60_000;

/** A machine of its own for a node of Kubernetes: root, processes and network, but this machine's kernel. Only root can start one. */
export class NodeMachine {
  /** The group that all groups of pods are in, as the kubelet names it. */
  readonly group: string;
  readonly #options: MachineOptions;
  readonly #program: BackgroundProgram;
  readonly #started: BackgroundProgram[] = [];
  /** Of its first process. */
  readonly #pid: number;

  private constructor(options: MachineOptions, program: BackgroundProgram, pid: number) {
    this.group = `/${groupOf(options)}`;
    this.#options = options;
    this.#program = program;
    this.#pid = pid;
  }

  static async start(options: MachineOptions): Promise<NodeMachine> {
    mkdirSync(options.folder, { recursive: true });
    const env = {
      SYSTEM: options.root,
      FOLDER: options.folder,
      VISIBLE: options.visible.join(" "),
      FIRST_PROCESS: options.firstProcess,
      ADDRESS: options.address,
      KERNEL_SETTINGS: Object.entries(KERNEL_SETTINGS)
        .map((setting) => setting.join(" "))
        .join("\n"),
      GROUP: groupOf(options),
      HIERARCHIES: groupHierarchies().join(" "),
      PATH,
    };
    const namespaces = ["--mount", "--pid", "--net", "--ipc", "--fork", "--kill-child"];
    const program = startInBackground("unshare", [...namespaces, "bash", "-c", SETUP], { env });
    await program.waitForLog(/The machine is set up\./, START_LIMIT_MS).catch((error: unknown) => {
      throw new Error(`the machine of the node does not start: ${program.log()}`, { cause: error });
    });
    const [pid] = readFileSync(`/proc/${program.pid}/task/${program.pid}/children`, "utf8").split(" ");
    return new NodeMachine(options, program, Number(pid));
  }

  /** Runs a program of the machine to its end. @returns its standard output. @throws Error when it fails */
  async run(command: readonly string[], timeoutMs = 120_000): Promise<string> {
    const { code, stdout, stderr } = await runProgram("nsenter", this.#inside(command), "", timeoutMs, {
      PATH,
      HOME: "/root",
    });
    if (code !== 0) throw new Error(`${command.join(" ")}: ${stderr}`);
    return stdout;
  }

  /** Starts a program of the machine, which ends with it. */
  start(command: readonly string[]): BackgroundProgram {
    const program = startInBackground("nsenter", this.#inside(command), { env: { PATH } });
    this.#started.push(program);
    return program;
  }

  /** Runs a program of this machine, which sees this machine's files and the node's network. */
  runInNetwork(
    command: readonly string[],
    input = "",
    timeoutMs = 120_000,
    env: NodeJS.ProcessEnv = process.env,
  ): Promise<ProgramResult> {
    return runProgram("nsenter", this.#inNetwork(command), input, timeoutMs, env);
  }

  startInNetwork(command: readonly string[]): BackgroundProgram {
    const program = startInBackground("nsenter", this.#inNetwork(command));
    this.#started.push(program);
    return program;
  }

  async close(): Promise<void> {
    process.kill(this.#pid, "SIGTERM");
    await this.#program.ended;
    await Promise.all(this.#started.map((program) => program.stop("SIGKILL")));
    await this.#removeGroups();
    rmSync(this.#options.folder, { recursive: true, force: true });
  }

  #inside(command: readonly string[]): string[] {
    const spaces = ["--mount", "--pid", "--net", "--ipc", "--root", "--wd=/"];
    return [`--target=${this.#pid}`, ...spaces, "--", ...command];
  }

  #inNetwork(command: readonly string[]): string[] {
    return [`--target=${this.#pid}`, "--net", "--", ...command];
  }

  /** They outlive their processes. */
  async #removeGroups(): Promise<void> {
    for (const hierarchy of groupHierarchies()) {
      const group = path.join(hierarchy, groupOf(this.#options));
      await runProgram("find", [group, "-depth", "-type", "d", "-exec", "rmdir", "{}", ";"], "");
    }
  }
}

/** A name for groups of processes that no other machine of these tests has. */
function groupOf({ folder }: MachineOptions): string {
  return `prtg-exporter-tests-${path.basename(folder)}`;
}

/** One since version 2 of control groups; before, one for each kind of limit. */
function groupHierarchies(): string[] {
  const mounts = readFileSync("/proc/mounts", "utf8").matchAll(/^\S+ (\S+) cgroup2? /gm);
  return [...mounts].map(([, place = ""]) => place).filter((place) => place.startsWith(GROUPS));
}
