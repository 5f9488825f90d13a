import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { manifest, ROOT, run } from "../package/build.ts";
import type { Programs } from "./programs.ts";
import { freeAddress, type NpmRegistry, PASSWORD, startNpmRegistry, USER } from "./registries.ts";
import { environment } from "./shell.ts";

/** In pages and workflow. */
const PUBLIC_REGISTRY = "ghcr.io";

/** Folders, addresses and variables of one rehearsal. Removes all of it at its end. */
export class Site {
  readonly programs: Programs;
  readonly work: string;
  readonly npm: NpmRegistry;
  /** Of images and charts. */
  readonly address: string;
  readonly #variables: Readonly<Record<string, string>>;
  readonly #closers: (() => Promise<void>)[];

  private constructor(programs: Programs, work: string, address: string, npm: NpmRegistry) {
    this.programs = programs;
    this.work = work;
    this.address = address;
    this.npm = npm;
    this.#closers = [() => npm.program.stop()];
    this.#variables = environment(process.env, this.#nodeFolder(), {
      REHEARSAL_WORK: work,
      REHEARSAL_NOTES: path.join(work, "notes"),
      REHEARSAL_REGISTRY: address,
      REHEARSAL_LOGIN: `${USER}:${PASSWORD}`,
      REHEARSAL_HELM: programs.helm,
      REHEARSAL_NPM: programs["npm-11.6.2"],
      REHEARSAL_NPM_REGISTRY: npm.url,
      REHEARSAL_NPM_CONFIG: npm.userConfig,
      HELM_CONFIG_HOME: path.join(work, "helm/config"),
      HELM_CACHE_HOME: path.join(work, "helm/cache"),
      HELM_DATA_HOME: path.join(work, "helm/data"),
    });
    writeFileSync(path.join(work, "notes"), "");
  }

  static async open(programs: Programs): Promise<Site> {
    const work = mkdtempSync(path.join(tmpdir(), "prtg-exporter-rehearsal-"));
    mkdirSync(path.join(work, "npm-registry"));
    const npm = await startNpmRegistry(programs, path.join(work, "npm-registry"));
    return new Site(programs, work, await freeAddress(), npm);
  }

  /** The last commit, as a checkout of its tag. */
  get sources(): string {
    return path.join(this.work, "sources");
  }

  get root(): URL {
    return pathToFileURL(`${this.sources}/`);
  }

  get artefacts(): string {
    return path.join(this.sources, "artefacts");
  }

  /** What was pushed. */
  get images(): string {
    return path.join(this.work, "images");
  }

  cloneSources(): void {
    run("git", ["clone", "--quiet", ROOT, this.sources], this.work);
    run("git", ["tag", `v${manifest.version}`], this.sources);
    // The branch of the clone need not be main.
    run("git", ["update-ref", "refs/remotes/origin/main", "HEAD"], this.sources);
  }

  /** The text of a page or of the workflow, with the address of this site. */
  local(text: string): string {
    return text.replaceAll(PUBLIC_REGISTRY, this.address);
  }

  variables(further: Readonly<Record<string, string>> = {}): Record<string, string> {
    return { ...this.#variables, ...further };
  }

  folder(name: string): string {
    const folder = path.join(this.work, name);
    mkdirSync(folder, { recursive: true });
    return folder;
  }

  /** What the stand-ins left out. */
  notes(): string[] {
    const lines = readFileSync(path.join(this.work, "notes"), "utf8").split("\n");
    return [...new Set(lines.filter((line) => line !== ""))];
  }

  /** Newest first. */
  atEnd(close: () => Promise<void>): void {
    this.#closers.unshift(close);
  }

  async close(): Promise<void> {
    for (const close of this.#closers) await close();
    rmSync(this.work, { recursive: true, force: true });
  }

  /** Programs of npm look for `node` in the PATH. */
  #nodeFolder(): string {
    const folder = this.folder("bin");
    writeFileSync(path.join(folder, "node"), `#!/bin/sh\nexec "${this.programs["node-24.21.0"]}" "$@"\n`, {
      mode: 0o755,
    });
    return folder;
  }
}
