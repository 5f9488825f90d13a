import { readFileSync } from "node:fs";
import { load } from "js-yaml";
import { z } from "zod";

const variables = z.record(z.string(), z.string()).default({});
const step = z.object({
  id: z.string().optional(),
  name: z.string().optional(),
  uses: z.string().optional(),
  run: z.string().optional(),
  env: variables,
});
const workflow = z.object({
  env: variables,
  defaults: z.object({ run: z.object({ shell: z.literal("bash") }) }),
  jobs: z.record(z.string(), z.object({ steps: z.array(step) })),
});

export type WorkflowStep = z.infer<typeof step>;
export interface Workflow {
  readonly env: Readonly<Record<string, string>>;
  readonly steps: readonly WorkflowStep[];
}

/** Steps of all jobs of .github/workflows/release.yaml, in their order. */
export function readReleaseWorkflow(root: URL): Workflow {
  const { env, jobs } = workflow.parse(load(readFileSync(new URL(".github/workflows/release.yaml", root), "utf8")));
  return { env, steps: Object.values(jobs).flatMap(({ steps }) => steps) };
}

/** `actions/checkout`, or the name or first line of a script. */
export function nameOf({ name, uses, run }: WorkflowStep): string {
  return name ?? uses?.replace(/@.*/, "") ?? run?.trim().split("\n", 1)[0] ?? "";
}

/** @throws Error if a value is not known */
export function evaluate(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$\{\{\s*(.*?)\s*\}\}/g, (_, expression: string) => {
    const value = values[expression];
    if (value === undefined) throw new Error(`the rehearsal has no value for \${{ ${expression} }}`);
    return value;
  });
}

/** Lines `NAME=value` of GITHUB_OUTPUT. */
export function outputsOf(id: string, text: string): Record<string, string> {
  const found = text.matchAll(/^([\w-]+)=(.*)$/gm);
  return Object.fromEntries([...found].map(([, name, value = ""]) => [`steps.${id}.outputs.${name}`, value]));
}
