import { fileURLToPath } from "node:url";
import { z } from "zod";
import { runProgram } from "./run-program.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

/** Index of an input; -1 where there is none, 0 where it is left out. */
const index = z.union([z.number(), z.string().transform(Number)]).default(0);

const copy = z.object({
  src: z.string(),
  dest: z.string(),
  owner: z.object({ user: z.object({ byID: z.number() }), group: z.object({ byID: z.number() }) }).optional(),
});

/** Inputs come first, then what the earlier actions made. */
const fileAction = z.object({
  input: index,
  secondaryInput: index,
  output: index,
  copy: copy.optional(),
  mkdir: z.object({ path: z.string() }).optional(),
});

const exec = z.object({
  meta: z.object({ args: z.array(z.string()), cwd: z.string() }),
  mounts: z.array(z.object({ input: index, dest: z.string(), mountType: z.string().optional() })),
});

const operation = z.object({
  digest: z.string(),
  op: z.object({
    inputs: z.array(z.object({ digest: z.string() })).default([]),
    source: z.object({ identifier: z.string() }).optional(),
    file: z.object({ actions: z.array(fileAction) }).optional(),
    exec: exec.optional(),
    platform: z.object({ Architecture: z.string(), OS: z.string() }).optional(),
  }),
});

const plan = z.object({
  warnings: z.array(z.object({ ruleName: z.string(), detail: z.string().optional() })).nullable(),
  error: z.object({ message: z.string() }).optional(),
  ops: z.array(operation).nullable(),
  image: z.object({
    architecture: z.string(),
    config: z.object({
      User: z.string(),
      Env: z.array(z.string()),
      Entrypoint: z.array(z.string()),
      Cmd: z.array(z.string()),
      WorkingDir: z.string(),
      ExposedPorts: z.record(z.string(), z.unknown()),
      Labels: z.record(z.string(), z.string()),
    }),
  }),
  context: z.array(z.string()),
});

/** What BuildKit says about our Dockerfile, and what it would do with it. */
export interface DockerfilePlan {
  readonly warnings: readonly string[];
  /** In the order of the build; the input of the last one is the image's file system. */
  readonly steps: readonly BuildStep[];
  readonly image: z.infer<typeof plan>["image"];
  /** Files that go to the builder, relative to the root of the repository. */
  readonly context: readonly string[];
}

export type BuildStep = z.infer<typeof operation>["op"] & { readonly digest: string };
export type FileAction = z.infer<typeof fileAction>;

export interface PlanOptions {
  readonly reader: string;
  /** `linux/amd64` unless told. */
  readonly platform?: string;
  readonly buildArgs?: Readonly<Record<string, string>>;
}

export async function readDockerfile({ reader, platform, buildArgs = {} }: PlanOptions): Promise<DockerfilePlan> {
  const args = Object.entries(buildArgs).flatMap(([name, value]) => ["-build-arg", `${name}=${value}`]);
  if (platform !== undefined) args.push("-platform", platform);
  const { code, stdout, stderr } = await runProgram(reader, [...args, ROOT], "");
  if (code !== 0) throw new Error(`BuildKit refuses the Dockerfile: ${stderr}`);
  const { warnings, error, ops, image, context } = plan.parse(JSON.parse(stdout));
  if (error !== undefined) throw new Error(`BuildKit refuses the Dockerfile: ${error.message}`);
  return {
    warnings: (warnings ?? []).map(({ ruleName, detail = "" }) => `${ruleName}: ${detail}`),
    steps: (ops ?? []).map(({ digest, op }) => ({ ...op, digest })),
    image,
    context,
  };
}
