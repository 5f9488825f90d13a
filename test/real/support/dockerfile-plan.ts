import { fileURLToPath } from "node:url";
import { z } from "zod";
import { runProgram } from "./run-program.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

const operation = z.object({
  op: z.object({
    source: z.object({ identifier: z.string() }).optional(),
    exec: z.unknown().optional(),
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
      ExposedPorts: z.record(z.string(), z.unknown()),
      Labels: z.record(z.string(), z.string()),
    }),
  }),
  context: z.array(z.string()),
});

/** BuildKit's opinion on our Dockerfile, and its plan. */
export interface DockerfilePlan {
  readonly warnings: readonly string[];
  readonly steps: readonly z.infer<typeof operation>["op"][];
  readonly image: z.infer<typeof plan>["image"];
  /** Files sent to the builder, relative to the repository's root. */
  readonly context: readonly string[];
}

interface PlanOptions {
  readonly reader: string;
  /** Default: `linux/amd64`. */
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
    steps: (ops ?? []).map(({ op }) => op),
    image,
    context,
  };
}
