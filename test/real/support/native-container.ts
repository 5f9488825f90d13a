import { existsSync, mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { type BackgroundProgram, startInBackground } from "./background-program.ts";
import type { DockerfilePlan } from "./dockerfile-plan.ts";
import { type ProgramResult, runProgram } from "./run-program.ts";

const ID = "65532";
/** What the base image brings: the C library and its kin. This machine's stand in for them. */
const LIBRARIES = ["lib", "lib64", "usr/lib"].filter((name) => existsSync(`/${name}`));

/*
 * Namespaces are what a container is made of: the image's file system read-only as the root, a first process with the
 * image's user. Without a network of its own, so that tests reach it.
 */
const SETUP = `
set -e
root=$1; shift
mount --make-rprivate /
mount --bind "$root" "$root"
for name in $LIBRARIES; do mount --bind "/$name" "$root/$name"; done
mount --rbind /dev "$root/dev"
mount -t proc proc "$root/proc"
for mount in $MOUNTS; do mount --bind "\${mount%%:*}" "$root\${mount#*:}"; done
mount -o remount,bind,ro "$root"
exec env -i "PATH=$PATH" $IMAGE_ENV unshare --root="$root" --wd="$WORKING_DIR" $USER_FLAGS -- "$@"
`;

/** An image that was built natively, and how to run it. */
export class NativeContainer {
  readonly #root: string;
  readonly #image: DockerfilePlan["image"];

  constructor(root: string, image: DockerfilePlan["image"]) {
    this.#root = root;
    this.#image = image;
    for (const name of [...LIBRARIES, "dev", "proc"]) mkdirSync(path.join(root, name), { recursive: true });
  }

  /** Runs the image to its end, as `docker run --read-only` would; `args` in the place of its CMD. */
  run(args: readonly string[], options: ContainerOptions = {}): Promise<ProgramResult> {
    const { command, env } = this.#command(args, options);
    return runProgram("unshare", command, "", 60_000, env);
  }

  start(args: readonly string[], options: ContainerOptions = {}): RunningContainer {
    const { command, env } = this.#command(args, options);
    const program = startInBackground("unshare", command, { env });
    const firstProcess = () => onlyChild(program.pid);
    return {
      program,
      firstProcess,
      // The end of its first process is that of a container.
      kill: async () => {
        const pid = firstProcess();
        if (pid > 0) process.kill(pid, "SIGKILL");
        await program.ended;
      },
    };
  }

  #command(args: readonly string[], { env = {}, mounts = {} }: ContainerOptions) {
    const { config } = this.#image;
    for (const target of Object.values(mounts)) mkdirSync(path.join(this.#root, target), { recursive: true });
    // Without root there is only one user to be: the mapped one.
    const isRoot = process.getuid?.() === 0;
    const imageEnv = [...config.Env.filter((text) => !text.startsWith("PATH=")), ...pairs(env)];
    return {
      command: [
        ...["--mount", "--pid", "--fork", ...(isRoot ? [] : ["--map-root-user"])],
        ...["sh", "-c", SETUP, "sh", this.#root, ...config.Entrypoint, ...args],
      ],
      env: {
        PATH: process.env.PATH ?? "",
        LIBRARIES: LIBRARIES.join(" "),
        MOUNTS: Object.entries(mounts)
          .map(([from, to]) => `${from}:${to}`)
          .join(" "),
        IMAGE_ENV: imageEnv.join(" "),
        WORKING_DIR: config.WorkingDir,
        USER_FLAGS: isRoot ? `--setuid ${ID} --setgid ${ID}` : "",
      },
    };
  }
}

export interface ContainerOptions {
  /** Values without blanks. */
  readonly env?: Readonly<Record<string, string>>;
  /** Folders of this machine, and where they are seen, writable. */
  readonly mounts?: Readonly<Record<string, string>>;
}

export interface RunningContainer {
  readonly program: BackgroundProgram;
  /** As this machine numbers it. */
  firstProcess(): number;
  /** Ends what still runs. */
  kill(): Promise<void>;
}

function pairs(record: Readonly<Record<string, string>>): string[] {
  return Object.entries(record).map(([name, value]) => `${name}=${value}`);
}

/** 0 when there is none any more. */
function onlyChild(pid: number): number {
  const children = `/proc/${pid}/task/${pid}/children`;
  return existsSync(children) ? Number(readFileSync(children, "utf8").trim()) : 0;
}
