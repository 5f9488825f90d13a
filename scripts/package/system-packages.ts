import path from "node:path";
import { type Build, ROOT, run } from "./build.ts";

export type SystemFormat = "deb" | "rpm";

const CONFIGURATION = "deploy/packages/nfpm.yaml";

/** Go builds and caches the version in deploy/packages/nfpm. */
export function findNfpm(): string {
  const env = { GOWORK: "off", GOFLAGS: "-mod=readonly -trimpath -buildvcs=false", CGO_ENABLED: "0" };
  return run("go", ["tool", "-n", "nfpm"], `${ROOT}deploy/packages/nfpm`, env).trim();
}

/** @param arch `amd64` or `arm64` @returns its path */
export function writeSystemPackage(
  nfpm: string,
  format: SystemFormat,
  { build, arch, tree, documents }: { build: Build; arch: string; tree: string; documents: string },
): string {
  const seconds = String(build.time.getTime() / 1000);
  const env = { ARCH: arch, VERSION: build.version, TREE: tree, GENERATED: documents, SOURCE_DATE_EPOCH: seconds };
  const args = ["package", `--config=${CONFIGURATION}`, `--packager=${format}`, `--target=${build.out}`];
  const [, file] = /created package: (.*)$/m.exec(run(nfpm, args, ROOT, env)) ?? [];
  if (file === undefined) throw new Error(`nfpm did not say what it made`);
  return path.resolve(file);
}
