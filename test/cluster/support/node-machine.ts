import { readFileSync } from "node:fs";
import path from "node:path";
import { OwnRoot, PATH, type RootOptions } from "../../containers/support/own-root.ts";
import { type BackgroundProgram, startInBackground } from "../../real/support/background-program.ts";
import { type ProgramResult, runProgram } from "../../real/support/run-program.ts";

/** `root`: `debian-kubernetes` of the install script. A visible folder contains `folder`. */
interface MachineOptions extends RootOptions {
  /** Reaps processes: `pause` from the install script. */
  readonly firstProcess: string;
  readonly address: string;
}

/** A kubelet corrects the machine's kernel settings. Our own files over them keep the machine unchanged. */
const KERNEL_SETTINGS = {
  "vm/overcommit_memory": 1,
  "vm/panic_on_oom": 0,
  "kernel/panic": 10,
  "kernel/panic_on_oops": 1,
  "kernel/keys/root_maxkeys": 1_000_000,
  "kernel/keys/root_maxbytes": 25_000_000,
};

// The machine's control groups, below one of ours.
const MOUNTS = `
mount -t sysfs sysfs "$root/sys"
mount --rbind /sys/fs/cgroup "$root/sys/fs/cgroup"
mount --rbind /dev "$root/dev"
`;
const START = `
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

const GROUPS = "/sys/fs/cgroup";
const START_LIMIT_MS = 60_000;

/** Own root, processes and network. Needs root. */
export class NodeMachine {
  /** Of all pods, in the kubelet's spelling. */
  readonly group: string;
  readonly #options: MachineOptions;
  readonly #machine: OwnRoot;
  readonly #started: BackgroundProgram[] = [];

  private constructor(options: MachineOptions, machine: OwnRoot) {
    this.group = `/${groupOf(options)}`;
    this.#options = options;
    this.#machine = machine;
  }

  static async start(options: MachineOptions): Promise<NodeMachine> {
    const machine = await OwnRoot.start({
      ...options,
      namespaces: ["--net", "--ipc"],
      mounts: MOUNTS,
      start: START,
      env: {
        FIRST_PROCESS: options.firstProcess,
        ADDRESS: options.address,
        KERNEL_SETTINGS: Object.entries(KERNEL_SETTINGS)
          .map((setting) => setting.join(" "))
          .join("\n"),
        GROUP: groupOf(options),
        HIERARCHIES: groupHierarchies().join(" "),
      },
      ready: /The machine is set up\./,
      limitMs: START_LIMIT_MS,
    });
    return new NodeMachine(options, machine);
  }

  /** @returns standard output. @throws Error if it fails */
  async run(command: readonly string[], timeoutMs = 120_000): Promise<string> {
    const { code, stdout, stderr } = await runProgram("nsenter", this.#inside(command), "", timeoutMs, {
      PATH,
      HOME: "/root",
    });
    if (code !== 0) throw new Error(`${command.join(" ")}: ${stderr}`);
    return stdout;
  }

  /** The program ends with the machine. */
  start(command: readonly string[]): BackgroundProgram {
    const program = startInBackground("nsenter", this.#inside(command), { env: { PATH } });
    this.#started.push(program);
    return program;
  }

  /** With this machine's files and the node's network. */
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
    await this.#machine.close(async () => {
      await Promise.all(this.#started.map((program) => program.stop("SIGKILL")));
      await this.#removeGroups();
    });
  }

  #inside(command: readonly string[]): string[] {
    const spaces = ["--mount", "--pid", "--net", "--ipc", "--root", "--wd=/"];
    return [`--target=${this.#machine.pid}`, ...spaces, "--", ...command];
  }

  #inNetwork(command: readonly string[]): string[] {
    return [`--target=${this.#machine.pid}`, "--net", "--", ...command];
  }

  /** Groups outlive their processes. */
  async #removeGroups(): Promise<void> {
    for (const hierarchy of groupHierarchies()) {
      const group = path.join(hierarchy, groupOf(this.#options));
      await runProgram("find", [group, "-depth", "-type", "d", "-exec", "rmdir", "{}", ";"], "");
    }
  }
}

/** A group name unique among test machines. */
function groupOf({ folder }: MachineOptions): string {
  return `prtg-exporter-tests-${path.basename(folder)}`;
}

/** One since cgroup v2. Before: one per controller. */
function groupHierarchies(): string[] {
  const mounts = readFileSync("/proc/mounts", "utf8").matchAll(/^\S+ (\S+) cgroup2? /gm);
  return [...mounts].map(([, place = ""]) => place).filter((place) => place.startsWith(GROUPS));
}
