import { z } from "zod";
import { manifest } from "../package/build.ts";
import { startEngine } from "./engine.ts";
import { installByNpm, installDeb, renderChart, runImage, startSimulatorByNpx, unpackArchive } from "./installs.ts";
import { type InstallKind, minimalValues, type PageCommand, pageCommands } from "./page-commands.ts";
import { findPrograms } from "./programs.ts";
import { startContainerRegistry } from "./registries.ts";
import { release } from "./release.ts";
import { runScript } from "./shell.ts";
import { Site } from "./site.ts";
import type { Steps } from "./steps.ts";

const imageIndex = z.object({
  manifests: z.array(z.object({ platform: z.object({ architecture: z.string() }) })),
});

/** @returns what was not rehearsed, with reasons */
export async function rehearse(steps: Steps): Promise<string[]> {
  const programs = findPrograms();
  const site = await steps.run("empty registry for npm", () => Site.open(programs));
  try {
    await steps.run("fresh clone of the last commit", () => site.cloneSources());
    const commands = pageCommands(site.root);
    const leftOut = await release(site, steps);
    await install(site, steps, commands);
    const reasons = commands.flatMap(({ command, reason }) => (reason === undefined ? [] : [`${command}: ${reason}.`]));
    return [...new Set([...leftOut, ...site.notes(), ...reasons])];
  } finally {
    await site.close();
  }
}

/** The commands of the pages, with the address of the registry and the version. */
async function install(site: Site, steps: Steps, commands: readonly PageCommand[]): Promise<void> {
  const each = async (kind: InstallKind, work: (command: string) => Promise<unknown>) => {
    const printed = commands.filter((command) => command.kind === kind).map(({ command }) => command);
    if (printed.length === 0) throw new Error(`no page has an install command of the kind ${kind}`);
    for (const command of new Set(printed.map(withVersion))) await steps.run(command, () => work(site.local(command)));
  };
  const open = { folder: site.images, address: site.address, login: false };
  const registry = await startContainerRegistry(site.programs, open);
  site.atEnd(() => registry.program.stop());

  await each("checksums", (command) => runScript(command, site.artefacts, site.variables()));
  const npm = site.variables({
    npm_config_cache: site.folder("npm-cache"),
    npm_config_prefix: site.folder("npm-prefix"),
    npm_config_registry: site.npm.url,
    npm_config_yes: "true",
  });
  let server = { url: "" };
  await each("npx", async (command) => {
    const { program, url } = await startSimulatorByNpx(command, site.folder("npx"), npm);
    site.atEnd(() => program.stop());
    server = { url };
  });
  await each("npm", (command) => installByNpm(command, site.folder("npm"), npm, server));
  await each("deb", (command) => installDeb(command, site.programs["debian-bare"], site.artefacts, server));
  await steps.run("archive for Linux, unpacked", () =>
    unpackArchive(site.artefacts, site.folder("archive"), site.variables(), server),
  );
  await each("chart", async (command) => {
    const images = await renderChart(command, minimalValues(site.root), site.folder("chart"), site.variables());
    for (const image of images) await expectImage(site, site.local(image));
  });
  await installImages(site, steps, each);
}

/** Some pages print `VERSION`, others the version. */
function withVersion(command: string): string {
  return command.replaceAll("VERSION", manifest.version);
}

/** In an engine without images and with a network of its own, so that ports of the pages are free. */
async function installImages(
  site: Site,
  steps: Steps,
  each: (kind: InstallKind, work: (command: string) => Promise<unknown>) => Promise<void>,
): Promise<void> {
  const folders = { folder: site.folder("engine"), visible: [site.folder("run")] };
  const engine = await steps.run("container engine without images", () => startEngine(site.programs, folders, true));
  site.atEnd(() => engine.close());
  const inside = ["nsenter", `--target=${engine.pid}`, "--net"];
  const { program } = await startContainerRegistry(site.programs, {
    ...{ folder: site.images, address: site.address, login: false, inside },
  });
  site.atEnd(() => program.stop());
  const env = site.variables({ REHEARSAL_ENGINE: String(engine.pid) });
  await each("image", (command) => runImage(engine, command, site.folder("run"), env));
}

/** The release pushed what the chart runs, for each platform. */
async function expectImage(site: Site, image: string): Promise<void> {
  const [name = "", tag = ""] = image.slice(site.address.length + 1).split(":");
  const headers = { Accept: "application/vnd.oci.image.index.v1+json" };
  const response = await fetch(`http://${site.address}/v2/${name}/manifests/${tag}`, { headers });
  if (!response.ok) throw new Error(`the chart runs ${image}, but the registry answers ${response.status}`);
  const platforms = imageIndex.parse(await response.json()).manifests.map(({ platform }) => platform.architecture);
  for (const wanted of ["amd64", "arm64"]) {
    if (!platforms.includes(wanted)) throw new Error(`${image} is for ${platforms.join(", ")}, not for ${wanted}`);
  }
}
