import { fileURLToPath } from "node:url";
import { z } from "zod";
import { runProgram } from "./run-program.ts";

const FILE = fileURLToPath(new URL("../../../deploy/compose/compose.yaml", import.meta.url));

const service = z.object({
  image: z.string(),
  environment: z.record(z.string(), z.string()).default({}),
  read_only: z.boolean().default(false),
  cap_drop: z.array(z.string()).default([]),
  ports: z.array(z.object({ host_ip: z.string().default("") })).default([]),
});

const project = z.object({ services: z.record(z.string(), service) });

export type ComposeService = z.infer<typeof service>;

/** deploy/compose/compose.yaml in Docker Compose's view. */
export async function readComposeProject(
  reader: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Readonly<Record<string, ComposeService>>> {
  const { code, stdout, stderr } = await runProgram(reader, [FILE], "", 60_000, { PATH: process.env.PATH, ...env });
  if (code !== 0) throw new Error(stderr);
  return project.parse(JSON.parse(stdout)).services;
}
