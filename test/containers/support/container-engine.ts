import { type ProgramResult, runProgram } from "../../real/support/run-program.ts";
import { OwnRoot, PATH, type RootOptions } from "./own-root.ts";

/** `root`: `debian-docker` of the install script. `visible`: mountable. */
export interface EngineOptions extends RootOptions {
  /** Isolated, with bridges. Otherwise the machine's, without. */
  readonly ownNetwork?: boolean;
  /** Content of daemon.json. */
  readonly configuration?: object;
}

const MOUNTS = `
for name in sys dev; do mount --rbind "/$name" "$root/$name"; done
mkdir -p "$FOLDER/data" "$root/var/lib/docker" && mount --bind "$FOLDER/data" "$root/var/lib/docker"
rm -f "$root/etc/resolv.conf" && cp -L /etc/resolv.conf "$root/etc/resolv.conf"
`;
const START = `
printf '%s' "$CONFIGURATION" >/etc/docker/daemon.json
[ -z "$OWN_NETWORK" ] || ip link set lo up
exec dockerd $FLAGS
`;
const START_LIMIT_MS = 120_000;

/** Not the machine's own. Needs root. */
export class ContainerEngine {
  readonly #options: EngineOptions;
  readonly #machine: OwnRoot;

  private constructor(options: EngineOptions, machine: OwnRoot) {
    this.#options = options;
    this.#machine = machine;
  }

  static async start(options: EngineOptions): Promise<ContainerEngine> {
    const { ownNetwork = false, configuration = {} } = options;
    const flags = [
      "--exec-opt=native.cgroupdriver=cgroupfs",
      ...(ownNetwork ? [] : ["--bridge=none", "--iptables=false"]),
    ];
    const machine = await OwnRoot.start({
      ...options,
      namespaces: ownNetwork ? ["--net"] : [],
      mounts: MOUNTS,
      start: START,
      env: {
        FLAGS: flags.join(" "),
        OWN_NETWORK: ownNetwork ? "1" : "",
        CONFIGURATION: JSON.stringify(configuration),
      },
      ready: /API listen on /,
      limitMs: START_LIMIT_MS,
    });
    return new ContainerEngine(options, machine);
  }

  /** Of the first process, whose namespaces other programs can enter. */
  get pid(): number {
    return this.#machine.pid;
  }

  run(args: readonly string[], { input = "", timeoutMs = 120_000, env = {} }: RunOptions = {}): Promise<ProgramResult> {
    return runProgram("nsenter", [...this.#inside(), "docker", ...args], input, timeoutMs, this.#environment(env));
  }

  /** @returns standard output. @throws Error if it fails */
  async docker(args: readonly string[], options?: RunOptions): Promise<string> {
    const { code, stdout, stderr } = await this.run(args, options);
    if (code !== 0) throw new Error(`docker ${args.join(" ")}: ${stderr}`);
    return stdout.trim();
  }

  /** Reachable only from this machine. @throws Error without an answer */
  async page(url: string): Promise<string> {
    const script = `const answer = await fetch(${JSON.stringify(url)}); const text = await answer.text();
      if (!answer.ok) throw new Error(answer.status + " " + text); process.stdout.write(text);`;
    const node = [process.execPath, "--input-type=module", "--eval", script];
    const { code, stdout, stderr } = await runProgram(
      "nsenter",
      [`--target=${this.#machine.pid}`, "--net", ...node],
      "",
    );
    if (code !== 0) throw new Error(`${url}: ${stderr}`);
    return stdout;
  }

  async fileOf(container: string, file: string): Promise<string> {
    const pid = await this.docker(["inspect", "--format={{.State.Pid}}", container]);
    const command = ["nsenter", ...this.#inside(), "cat", `/proc/${pid}/root${file}`];
    const { stdout } = await runProgram("env", command, "", 60_000, this.#environment({}));
    return stdout;
  }

  close(): Promise<void> {
    return this.#machine.close();
  }

  #inside(): string[] {
    const network = this.#options.ownNetwork === true ? ["--net"] : [];
    return [`--target=${this.#machine.pid}`, "--mount", "--pid", "--root", "--wd=/", ...network];
  }

  #environment(env: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
    return { PATH, HOME: "/root", DOCKER_BUILDKIT: "1", ...env };
  }
}

interface RunOptions {
  readonly input?: string;
  readonly timeoutMs?: number;
  readonly env?: Readonly<Record<string, string>>;
}
