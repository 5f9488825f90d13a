import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { create } from "tar";
import { programBehind } from "../../containers/support/stand-in-images.ts";

/**
 * Writes an archive, as `docker save` writes it, of an image with nothing but the first process of pods.
 * @param pause `pause` of the install script
 * @returns its path
 */
export async function writePauseImage(pause: string, name: string, folder: string): Promise<string> {
  const here = mkdtempSync(path.join(folder, "pause-"));
  const root = path.join(here, "root");
  mkdirSync(root);
  copyFileSync(programBehind(pause), path.join(root, "pause"));
  await create({ file: path.join(here, "layer.tar"), cwd: root, portable: true }, ["pause"]);
  const layer = createHash("sha256")
    .update(readFileSync(path.join(here, "layer.tar")))
    .digest("hex");
  const config = {
    architecture: process.arch === "arm64" ? "arm64" : "amd64",
    os: "linux",
    config: { Entrypoint: ["/pause"], User: "65535:65535" },
    rootfs: { type: "layers", diff_ids: [`sha256:${layer}`] },
  };
  writeFileSync(path.join(here, "config.json"), JSON.stringify(config));
  const manifest = [{ Config: "config.json", RepoTags: [name], Layers: ["layer.tar"] }];
  writeFileSync(path.join(here, "manifest.json"), JSON.stringify(manifest));
  const archive = path.join(here, "image.tar");
  await create({ file: archive, cwd: here, portable: true }, ["manifest.json", "config.json", "layer.tar"]);
  return archive;
}
