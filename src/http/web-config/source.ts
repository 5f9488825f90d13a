import type { BigIntStats } from "node:fs";
import type { Logger } from "pino";
import type { ReadFile } from "../../config/reading-files.ts";
import { describeError } from "../../errors/exporter-error.ts";
import type { Redactor } from "../../errors/redactor.ts";
import { LogOnChange } from "../../lib/log-on-change.ts";
import { type LoadedWebConfig, loadWebConfig, type WebConfig } from "./load.ts";

export interface WebConfigFiles {
  readonly readFile: ReadFile;
  readonly stat: (path: string) => Promise<Pick<BigIntStats, "mtimeNs" | "ctimeNs" | "size" | "ino">>;
}

export interface WebConfigSourceOptions extends WebConfigFiles {
  readonly file: string;
  readonly log: Logger;
  readonly redactor: Redactor;
}

export class WebConfigSource {
  readonly #options: WebConfigSourceOptions;
  #loaded: LoadedWebConfig;
  /** Taken just before reading. */
  #stamps: ReadonlyMap<string, string>;
  #isInForce = true;
  readonly #complaints = new LogOnChange({ knows: "last" });
  #checking = false;

  private constructor(options: WebConfigSourceOptions, loaded: LoadedWebConfig, stamps: ReadonlyMap<string, string>) {
    this.#options = options;
    this.#loaded = loaded;
    this.#stamps = stamps;
    this.#welcome(loaded);
  }

  /** @throws ConfigError with all problems */
  static async open(options: WebConfigSourceOptions): Promise<WebConfigSource> {
    const { loaded, stamps } = await read(options);
    return new WebConfigSource(options, loaded, stamps);
  }

  get current(): WebConfig {
    return this.#loaded.config;
  }

  /** False if the files are wrong. The last valid content then stays in force. */
  get isInForce(): boolean {
    return this.#isInForce;
  }

  /** Reads changed files. Returns whether the configuration changed. Never rejects. */
  async refresh(): Promise<boolean> {
    if (this.#checking) return false;
    this.#checking = true;
    try {
      const now = await stampsOf([...this.#stamps.keys()], this.#options);
      const isSame = [...this.#stamps].every(([path, stamp]) => now.get(path) === stamp);
      if (isSame && this.#isInForce) return false;
      return await this.#reload();
    } finally {
      this.#checking = false;
    }
  }

  async #reload(): Promise<boolean> {
    const { log, redactor } = this.#options;
    try {
      const { loaded, stamps } = await read(this.#options);
      const before = this.#loaded;
      this.#loaded = loaded;
      this.#stamps = stamps;
      this.#isInForce = true;
      this.#complaints.over();
      for (const secret of before.secrets) if (!loaded.secrets.includes(secret)) redactor.remove(secret);
      this.#welcome(loaded);
      log.info({ file: this.#options.file }, "the web configuration was reloaded");
      return true;
    } catch (error) {
      // Waits for the second failure: a new certificate arrives before its key.
      if (!this.#isInForce && this.#complaints.record(describeError(error))) {
        log.error({ err: error }, "the changed web configuration is invalid: the previous one stays in use");
      }
      this.#isInForce = false;
      return false;
    }
  }

  #welcome({ warnings, secrets }: LoadedWebConfig): void {
    for (const secret of secrets) this.#options.redactor.add(secret);
    for (const warning of warnings) this.#options.log.warn(`${this.#options.file}: ${warning}`);
  }
}

/** Stamps first, so that a concurrent write causes another reading. */
async function read(options: WebConfigSourceOptions) {
  const paths = new Set<string>();
  const stamps = new Map<string, string>();
  const readFile = async (path: string): Promise<string> => {
    if (!paths.has(path)) {
      paths.add(path);
      stamps.set(path, await stampOf(path, options));
    }
    return options.readFile(path);
  };
  const loaded = await loadWebConfig(options.file, readFile);
  return { loaded, stamps };
}

async function stampsOf(paths: readonly string[], files: WebConfigFiles): Promise<ReadonlyMap<string, string>> {
  return new Map(await Promise.all(paths.map(async (path) => [path, await stampOf(path, files)] as const)));
}

async function stampOf(path: string, files: WebConfigFiles): Promise<string> {
  try {
    const { mtimeNs, ctimeNs, size, ino } = await files.stat(path);
    return [mtimeNs, ctimeNs, size, ino].join(" ");
  } catch {
    return "missing";
  }
}
