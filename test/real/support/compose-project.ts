import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { runProgram } from "./run-program.ts";

const FILE = fileURLToPath(new URL("../../../deploy/compose/compose.yaml", import.meta.url));

const service = z.object({
  image: z.string(),
  command: z.array(z.string()).nullish(),
  environment: z.record(z.string(), z.string()).default({}),
  read_only: z.boolean().default(false),
  cap_drop: z.array(z.string()).default([]),
  ports: z.array(z.object({ host_ip: z.string().default("") })).default([]),
  volumes: z.array(z.object({ type: z.string(), source: z.string(), target: z.string() })).default([]),
});

const project = z.object({ services: z.record(z.string(), service) });

export type ComposeService = z.infer<typeof service>;

/** deploy/compose/compose.yaml as Docker Compose understands it. */
export async function readComposeProject(
  reader: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Readonly<Record<string, ComposeService>>> {
  const { code, stdout, stderr } = await runProgram(reader, [FILE], "", 60_000, { PATH: process.env.PATH, ...env });
  if (code !== 0) throw new Error(stderr);
  return project.parse(JSON.parse(stdout)).services;
}

/** A service as a program of this machine sees it. */
export interface PlacedService {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Puts the files of a service below `folder`, and says its command there. `places`: what stands for addresses and
 * folders of the containers.
 */
export function placeService(
  { command, environment, volumes }: ComposeService,
  folder: string,
  places: Readonly<Record<string, string>>,
): PlacedService {
  // The longest first, as one may begin like another.
  const names = Object.keys(places).sort((a, b) => b.length - a.length);
  const place = (text: string) => names.reduce((result, name) => result.replaceAll(name, places[name] ?? ""), text);
  const inside = (target: string) => path.join(folder, target);
  const targets = volumes.map(({ target }) => target);
  for (const { type, source, target } of volumes) {
    mkdirSync(path.dirname(inside(target)), { recursive: true });
    if (type === "volume") mkdirSync(inside(target), { recursive: true });
    else if (path.extname(source) === "") symlinkSync(source, inside(target));
    else writeFileSync(inside(target), place(readFileSync(source, "utf8")));
  }
  const local = (text: string) => {
    const target = targets.find((each) => text.endsWith(`=${each}`));
    return target === undefined ? place(text) : text.replace(target, inside(target));
  };
  const env = Object.entries(environment).map(([name, value]) => [name, place(value)]);
  return { command: (command ?? []).map(local), env: Object.fromEntries(env) };
}
