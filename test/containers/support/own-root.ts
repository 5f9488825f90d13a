import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { type BackgroundProgram, startInBackground } from "../../real/support/background-program.ts";

export interface RootOptions {
  /** A Debian system. */
  readonly root: string;
  /** For what is written; not below an overlay file system. */
  readonly folder: string;
  /** Folders of this machine that are seen under the same names. */
  readonly visible: readonly string[];
}

export interface OwnRootOptions extends RootOptions {
  /** Of `unshare`, beside those of mounts and processes: `--net`. */
  readonly namespaces?: readonly string[];
  /** Shell lines that mount what the system has to have below `$root`, before `/run` and `/tmp`. */
  readonly mounts: string;
  /** Shell lines inside of it; the last one is `exec`, with the first process. */
  readonly start: string;
  /** Variables of both. */
  readonly env: Readonly<Record<string, string>>;
  /** A line of its output that says that it is there, in time. */
  readonly ready: RegExp;
  readonly limitMs: number;
}

export const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/*
 * The system as the root, through a layer that takes what is written, in namespaces that end with their first process, and all that it
 * started: nothing is installed on this machine.
 */
const BEGIN = `
set -e
root=$FOLDER/root
mount --make-rprivate /
mkdir -p "$FOLDER/upper" "$FOLDER/work" "$root"
mount -t overlay overlay -o "lowerdir=$SYSTEM,upperdir=$FOLDER/upper,workdir=$FOLDER/work" "$root"
mount -t proc proc "$root/proc"
`;
const ENTER = `
for name in run tmp; do mount -t tmpfs tmpfs "$root/$name"; done
for folder in $VISIBLE; do mkdir -p "$root$folder" && mount --bind "$folder" "$root$folder"; done
# Not chroot: what enters a container goes by the root of its namespace of mounts.
mkdir -p "$root/.machine" && cd "$root" && pivot_root . .machine && cd / && umount --lazy /.machine
`;

/** A first process with a root, mounts and processes of its own, below which others run. Only root can start one. */
export class OwnRoot {
  readonly folder: string;
  /** Of its first process. */
  readonly pid: number;
  readonly #program: BackgroundProgram;

  private constructor(folder: string, program: BackgroundProgram, pid: number) {
    this.folder = folder;
    this.pid = pid;
    this.#program = program;
  }

  /** @throws Error with its log when it is not ready in time */
  static async start({ root, folder, visible, ...options }: OwnRootOptions): Promise<OwnRoot> {
    mkdirSync(folder, { recursive: true });
    const env = { ...options.env, SYSTEM: root, FOLDER: folder, VISIBLE: visible.join(" "), PATH };
    const namespaces = ["--mount", "--pid", ...(options.namespaces ?? []), "--fork", "--kill-child"];
    const script = [BEGIN, options.mounts, ENTER, options.start].join("\n");
    const program = startInBackground("unshare", [...namespaces, "bash", "-c", script], { env });
    await program.waitForLog(options.ready, options.limitMs).catch((error: unknown) => {
      throw new Error(`${root} does not start: ${program.log()}`, { cause: error });
    });
    const [pid] = readFileSync(`/proc/${program.pid}/task/${program.pid}/children`, "utf8").split(" ");
    return new OwnRoot(folder, program, Number(pid));
  }

  /** Ends it and all that runs in it. `meanwhile`: what is to be done between that and the removal of its files. */
  async close(meanwhile: () => Promise<void> = async () => undefined): Promise<void> {
    process.kill(this.pid, "SIGTERM");
    await this.#program.ended;
    await meanwhile();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
