import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { expect, vi } from "vitest";
import { type BackgroundProgram, startInBackground } from "../../real/support/background-program.ts";
import { type ProgramResult, runProgram } from "../../real/support/run-program.ts";

export interface EngineOptions {
  /** A Debian system that has Docker in it: `debian-docker` of the install script. */
  readonly root: string;
  /** For images and containers; not below an overlay file system. */
  readonly folder: string;
  /** Folders of this machine that containers may mount, under the same names. */
  readonly visible: readonly string[];
  /** With a network of its own, in which it may make bridges, and which nothing else reaches; else that of this machine, without bridges. */
  readonly ownNetwork?: boolean;
}

/*
 * The engine sees the Debian system as its root, through a layer that takes what it writes, and is the first process of namespaces that go
 * with it, containers and all: nothing is installed on this machine, and an engine that it has already is not touched.
 */
const SETUP = `
set -e
root=$FOLDER/root
mount --make-rprivate /
mkdir -p "$FOLDER/upper" "$FOLDER/work" "$root"
mount -t overlay overlay -o "lowerdir=$SYSTEM,upperdir=$FOLDER/upper,workdir=$FOLDER/work" "$root"
mount -t proc proc "$root/proc"
for name in sys dev; do mount --rbind "/$name" "$root/$name"; done
for name in run tmp; do mount -t tmpfs tmpfs "$root/$name"; done
mkdir -p "$FOLDER/data" "$root/var/lib/docker" && mount --bind "$FOLDER/data" "$root/var/lib/docker"
rm -f "$root/etc/resolv.conf" && cp -L /etc/resolv.conf "$root/etc/resolv.conf"
for folder in $VISIBLE; do mkdir -p "$root$folder" && mount --bind "$folder" "$root$folder"; done
# Not chroot: what enters a container goes by the root of its namespace of mounts.
mkdir -p "$root/.machine" && cd "$root" && pivot_root . .machine && cd / && umount --lazy /.machine
[ -z "$OWN_NETWORK" ] || ip link set lo up
exec dockerd $FLAGS
`;

const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
const START_LIMIT_MS = 120_000;

/** A container engine that runs as long as the tests. Only root can start one. */
export class ContainerEngine {
  readonly #options: EngineOptions;
  readonly #program: BackgroundProgram;

  /** Of the engine itself. */
  readonly #pid: number;

  private constructor(options: EngineOptions, program: BackgroundProgram, pid: number) {
    this.#options = options;
    this.#program = program;
    this.#pid = pid;
  }

  static async start(options: EngineOptions): Promise<ContainerEngine> {
    const { root, folder, visible, ownNetwork = false } = options;
    mkdirSync(folder, { recursive: true });
    const flags = [
      "--exec-opt=native.cgroupdriver=cgroupfs",
      ...(ownNetwork ? [] : ["--bridge=none", "--iptables=false"]),
    ];
    const env = {
      SYSTEM: root,
      FOLDER: folder,
      VISIBLE: visible.join(" "),
      FLAGS: flags.join(" "),
      OWN_NETWORK: ownNetwork ? "1" : "",
      PATH,
    };
    const namespaces = ["--mount", "--pid", "--fork", "--kill-child", ...(ownNetwork ? ["--net"] : [])];
    const program = startInBackground("unshare", [...namespaces, "bash", "-c", SETUP], { env });
    await program.waitForLog(/API listen on /, START_LIMIT_MS).catch((error: unknown) => {
      throw new Error(`the engine does not start: ${program.log()}`, { cause: error });
    });
    const [pid] = readFileSync(`/proc/${program.pid}/task/${program.pid}/children`, "utf8").split(" ");
    return new ContainerEngine(options, program, Number(pid));
  }

  /** Runs `docker` to its end. */
  run(args: readonly string[], { input = "", timeoutMs = 120_000, env = {} }: RunOptions = {}): Promise<ProgramResult> {
    return runProgram("nsenter", [...this.#inside(), "docker", ...args], input, timeoutMs, this.#environment(env));
  }

  /** The same, with its standard output. @throws Error when it fails */
  async docker(args: readonly string[], options?: RunOptions): Promise<string> {
    const { code, stdout, stderr } = await this.run(args, options);
    if (code !== 0) throw new Error(`docker ${args.join(" ")}: ${stderr}`);
    return stdout.trim();
  }

  /** The text of a page that a container of it shows to this machine alone. @throws Error when there is none */
  async page(url: string): Promise<string> {
    const script = `const answer = await fetch(${JSON.stringify(url)}); const text = await answer.text();
      if (!answer.ok) throw new Error(answer.status + " " + text); process.stdout.write(text);`;
    const node = [process.execPath, "--input-type=module", "--eval", script];
    const { code, stdout, stderr } = await runProgram("nsenter", [`--target=${this.#pid}`, "--net", ...node], "");
    if (code !== 0) throw new Error(`${url}: ${stderr}`);
    return stdout;
  }

  /** A file as a process of a container sees it. */
  async fileOf(container: string, file: string): Promise<string> {
    const pid = await this.docker(["inspect", "--format={{.State.Pid}}", container]);
    const command = ["nsenter", ...this.#inside(), "cat", `/proc/${pid}/root${file}`];
    const { stdout } = await runProgram("env", command, "", 60_000, this.#environment({}));
    return stdout;
  }

  async close(): Promise<void> {
    process.kill(this.#pid, "SIGTERM");
    await this.#program.ended;
    rmSync(this.#options.folder, { recursive: true, force: true });
  }

  #inside(): string[] {
    const network = this.#options.ownNetwork === true ? ["--net"] : [];
    return [`--target=${this.#pid}`, "--mount", "--pid", "--root", "--wd=/", ...network];
  }

  #environment(env: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
    return { PATH, HOME: "/root", DOCKER_BUILDKIT: "1", ...env };
  }
}

export interface RunOptions {
  readonly input?: string;
  readonly timeoutMs?: number;
  readonly env?: Readonly<Record<string, string>>;
}

/** Waits until a page answers as expected. */
export async function waitForPage(url: string, pattern: RegExp, limitMs = 60_000): Promise<string> {
  return await vi.waitFor(
    async () => {
      const response = await fetch(url);
      const text = await response.text();
      expect(response.status, text).toBe(200);
      expect(text).toMatch(pattern);
      return text;
    },
    { timeout: limitMs, interval: 100 },
  );
}
