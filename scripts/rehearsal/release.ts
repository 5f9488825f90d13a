import { existsSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { manifest, run } from "../package/build.ts";
import { pushStandIns, startEngine } from "./engine.ts";
import { planOf } from "./plan.ts";
import { PASSWORD, startContainerRegistry, USER } from "./registries.ts";
import { runScript } from "./shell.ts";
import type { Site } from "./site.ts";
import type { Steps } from "./steps.ts";
import { evaluate, outputsOf, readReleaseWorkflow } from "./workflow.ts";

const REPOSITORY = "prtg-exporter/prtg-exporter";
const OWNER = "prtg-exporter";

/** Runs the scripts of the release workflow in a fresh clone. @returns parts that were left out, with reasons */
export async function release(site: Site, steps: Steps): Promise<string[]> {
  const { env, steps: all } = readReleaseWorkflow(site.root);
  const plan = planOf(all);
  const registry = await steps.run("empty registry for images and charts", () =>
    startContainerRegistry(site.programs, { folder: site.images, address: site.address, login: true }),
  );
  const folders = { folder: site.folder("builder"), visible: [site.work] };
  const engine = await steps.run("container engine", () => startEngine(site.programs, folders, false));
  try {
    await engine.docker(["login", site.address, `--username=${USER}`, "--password-stdin"], { input: PASSWORD });
    await steps.run("stand-ins of the base images", () =>
      pushStandIns(engine, site.programs, site.folder("bases"), baseImages(site)),
    );
    const values: Record<string, string> = {
      "github.repository": REPOSITORY,
      "github.repository_owner": OWNER,
      "secrets.GITHUB_TOKEN": PASSWORD,
    };
    for (const { name, step, reason } of plan) {
      if (step.run === undefined || reason !== undefined) continue;
      const script = evaluate(step.run, values);
      const output = path.join(site.work, "output");
      rmSync(output, { force: true });
      const variables = Object.entries({ ...env, ...step.env }).map(([key, value]) => [key, evaluate(value, values)]);
      const environment = site.variables({
        ...Object.fromEntries(variables.map(([key, value = ""]) => [key, site.local(value)])),
        ...github(site),
        GITHUB_OUTPUT: output,
        REHEARSAL_ENGINE: String(engine.pid),
      });
      await steps.run(`release.yaml: ${name}`, () => runScript(site.local(script), site.sources, environment));
      if (existsSync(output)) Object.assign(values, outputsOf(step.id ?? "", readFileSync(output, "utf8")));
    }
  } finally {
    await engine.close();
    await registry.program.stop();
  }
  return plan.flatMap(({ name, reason }) => (reason === undefined ? [] : [`${name}: ${reason}.`]));
}

function github(site: Site): Record<string, string> {
  return {
    GITHUB_ACTOR: USER,
    GITHUB_REF_NAME: `v${manifest.version}`,
    GITHUB_REPOSITORY: REPOSITORY,
    GITHUB_SERVER_URL: "https://github.com",
    GITHUB_SHA: run("git", ["rev-parse", "HEAD"], site.sources).trim(),
  };
}

/** Their names in the Dockerfile, at the local registry. */
function baseImages(site: Site): { node: string; base: string } {
  const dockerfile = readFileSync(path.join(site.sources, "Dockerfile"), "utf8");
  const imageOf = (argument: string) => {
    const [, image] = new RegExp(`^ARG ${argument}=[^/]+/(\\S+)$`, "m").exec(dockerfile) ?? [];
    if (image === undefined) throw new Error(`the Dockerfile has no ${argument}`);
    return `${site.address}/${image}`;
  };
  return { node: imageOf("NODE_IMAGE"), base: imageOf("BASE_IMAGE") };
}
