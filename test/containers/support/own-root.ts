import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { type BackgroundProgram, startInBackground } from "../../real/support/background-program.ts";

export interface RootOptions {
  readonly root: string;
  /** Not on an overlay file system. */
  readonly folder: string;
  /** Same path inside. */
  readonly visible: readonly string[];
}

interface OwnRootOptions extends RootOptions {
  /** Further flags of `unshare`: `--net`. */
  readonly namespaces?: readonly string[];
  /** Shell lines that mount below `$root`, before `/run` and `/tmp`. */
  readonly mounts: string;
  /** Shell lines inside, the last with `exec`. */
  readonly start: string;
  readonly env: Readonly<Record<string, string>>;
  /** Output line that shows readiness. */
  readonly ready: RegExp;
  readonly limitMs: number;
}

export const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/* A writable layer over the root. Ends with its first process, installs nothing. */
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

/** Own root, mounts and processes. Needs root. */
export class OwnRoot {
  readonly folder: string;
  readonly pid: number;
  readonly #program: BackgroundProgram;

  private constructor(folder: string, program: BackgroundProgram, pid: number) {
    this.folder = folder;
    this.pid = pid;
    this.#program = program;
  }

  /** @throws Error with its log if not ready in time */
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

  /** `meanwhile`: before its files are removed. */
  async close(meanwhile: () => Promise<void> = async () => undefined): Promise<void> {
    process.kill(this.pid, "SIGTERM");
    await this.#program.ended;
    await meanwhile();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
