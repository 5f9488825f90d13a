import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { create } from "tar";
import { programBehind } from "../../containers/support/stand-in-bases.ts";

export interface ProgramImage {
  readonly name: string;
  /** From the install script, needs no library. */
  readonly program: string;
  /** Path in the image. */
  readonly entrypoint: string;
}

/**
 * Like `docker save`, with only one program.
 * @returns path
 */
export async function writeProgramImage({ name, program, entrypoint }: ProgramImage, folder: string): Promise<string> {
  const here = mkdtempSync(path.join(folder, "image-"));
  const root = path.join(here, "root");
  const file = path.join(root, entrypoint);
  mkdirSync(path.dirname(file), { recursive: true });
  copyFileSync(programBehind(program), file);
  await create({ file: path.join(here, "layer.tar"), cwd: root, portable: true }, [`.${entrypoint}`]);
  const layer = createHash("sha256")
    .update(readFileSync(path.join(here, "layer.tar")))
    .digest("hex");
  const config = {
    architecture: process.arch === "arm64" ? "arm64" : "amd64",
    os: "linux",
    config: { Entrypoint: [entrypoint], User: "65535:65535" },
    rootfs: { type: "layers", diff_ids: [`sha256:${layer}`] },
  };
  writeFileSync(path.join(here, "config.json"), JSON.stringify(config));
  const manifest = [{ Config: "config.json", RepoTags: [name], Layers: ["layer.tar"] }];
  writeFileSync(path.join(here, "manifest.json"), JSON.stringify(manifest));
  const archive = path.join(here, "image.tar");
  await create({ file: archive, cwd: here, portable: true }, ["manifest.json", "config.json", "layer.tar"]);
  return archive;
}
