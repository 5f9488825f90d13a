import { existsSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { inject } from "vitest";
import type { TestProject } from "vitest/node";
import { ContainerEngine, type EngineOptions } from "./container-engine.ts";
import { buildImages, type ImagePrograms, REPOSITORY } from "./stand-in-images.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Shared by all test files. */
    readonly runFolder: string;
  }
}

/** Runs before the first file, its result after the last. */
export default function setup(project: TestProject): () => void {
  const folder = mkdtempSync(path.join(tmpdir(), "prtg-exporter-containers-"));
  project.provide("runFolder", folder);
  return () => rmSync(folder, { recursive: true, force: true });
}

/** The first one of a run builds them. */
export async function startWithImages(
  programs: ImagePrograms,
  options: Pick<EngineOptions, "ownNetwork">,
): Promise<ContainerEngine> {
  const run = inject("runFolder");
  const archive = await imageArchive(programs);
  const folder = mkdtempSync(path.join(run, "engine-"));
  const root = programs["debian-docker"];
  const engine = await ContainerEngine.start({ root, folder, visible: [run, REPOSITORY], ...options });
  await engine.docker(["load", `--input=${archive}`]);
  return engine;
}

/** `docker save` format. The first call of a run builds them. */
export async function imageArchive(programs: ImagePrograms): Promise<string> {
  const run = inject("runFolder");
  const archive = path.join(run, "images.tar");
  if (existsSync(archive)) return archive;
  const folder = mkdtempSync(path.join(run, "build-"));
  const root = programs["debian-docker"];
  const builder = await ContainerEngine.start({ root, folder: `${folder}/engine`, visible: [folder, REPOSITORY] });
  try {
    const images = await buildImages(builder, programs, folder);
    await builder.docker(["save", `--output=${folder}/images.tar`, ...images]);
    renameSync(`${folder}/images.tar`, archive);
  } finally {
    await builder.close();
    rmSync(folder, { recursive: true, force: true });
  }
  return archive;
}
