import { mkdtempSync } from "node:fs";
import path from "node:path";
import { inject } from "vitest";
import { imageArchive } from "../../containers/support/image-archive.ts";
import { type ClusterPrograms, KubernetesNode } from "./kubernetes-node.ts";

/** A node with the images of the repository; the first one of a run builds them. */
export async function startNode(programs: ClusterPrograms): Promise<KubernetesNode> {
  const run = inject("runFolder");
  const archive = await imageArchive(programs);
  return KubernetesNode.start(programs, { run, folder: mkdtempSync(path.join(run, "node-")), archive });
}
