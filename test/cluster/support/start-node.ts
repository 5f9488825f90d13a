import { mkdtempSync } from "node:fs";
import path from "node:path";
import { afterAll, afterEach, beforeAll, inject } from "vitest";
import { imageArchive } from "../../containers/support/image-archive.ts";
import { type ClusterPrograms, KubernetesNode } from "./kubernetes-node.ts";
import { Release, type ReleaseOptions } from "./release.ts";

interface Cluster {
  readonly node: KubernetesNode;
  /** Ends with the test. */
  install(options: ReleaseOptions): Promise<Release>;
}

/** Runs for all tests of a file. The first node of a run builds the images. `prepare`: further needs. */
export function useCluster(
  programs: ClusterPrograms,
  prepare: (node: KubernetesNode) => Promise<void> = async () => undefined,
): Cluster {
  let node: KubernetesNode | undefined;
  let release: Release | undefined;

  beforeAll(async () => {
    const run = inject("runFolder");
    const archive = await imageArchive(programs);
    node = await KubernetesNode.start(programs, { run, folder: mkdtempSync(path.join(run, "node-")), archive });
    await prepare(node);
  });

  afterEach(async () => {
    await release?.remove();
    release = undefined;
  });

  afterAll(() => node?.close());

  const running = (): KubernetesNode => {
    if (node === undefined) throw new Error("the node has not been started");
    return node;
  };
  return {
    get node() {
      return running();
    },
    async install(options) {
      release = await Release.install(running(), options);
      return release;
    },
  };
}
