import { dirname, resolve } from "node:path";
import { Redactor } from "../errors/redactor.ts";
import { ConfigError, type ConfigProblem } from "./config-error.ts";
import { DEPRECATED_NAMES, type DeprecatedName, deprecatedKeys } from "./deprecated-names.ts";
import { ConfigDocument } from "./document.ts";
import { type Environment, EnvironmentServer, FINGERPRINTS_VARIABLE } from "./environment.ts";
import type { KeyPath, Origin } from "./origin.ts";
import { type ReadAccess, type ReadFile, readConfigFile, secretFileReader } from "./reading-files.ts";
import { checkOtlpFiles, resolveEventPaths, resolveOtlpPaths, resolveServers, type ServerConfig } from "./resolve.ts";
import { type RuleFile, readRuleFiles } from "./rule-files.ts";
import type { Settings } from "./schema.ts";
import { type BadServerFile, readServerFiles, type ServerFileAccess, type ServerFiles } from "./server-files.ts";
import type { Shard } from "./shard.ts";
import { resolveSync, type SyncConfig } from "./sync-config.ts";
import { validate } from "./validation.ts";

export interface Config extends Omit<Settings, "servers" | "sync"> {
  readonly servers: readonly ServerConfig[];
  /** `undefined` without the section, and if the loader was not asked for it. */
  readonly sync?: SyncConfig | undefined;
  /** `undefined`: all servers. */
  readonly shard?: Shard | undefined;
  /** Rules of `mapping`, its files and presets, in the order of evaluation. */
  readonly ruleFiles: readonly RuleFile[];
  /** Number of invalid files of `servers_from`, whose servers stay as in the last valid content. */
  readonly badServerFiles?: number | undefined;
  /** Warnings about deprecated keys and flags. */
  readonly deprecated?: readonly string[] | undefined;
  /** Servers that another replica reads. `undefined`: this process is not a standby. */
  readonly standbyFor?: readonly string[] | undefined;
}

export interface LoadedConfig {
  readonly config: Config;
  /** Path of the file as configured, or `environment`. */
  readonly source: string;
  /** Variables such as PRTG_URL that have no effect, because the file has `servers`. */
  readonly ignoredVariables: readonly string[];
  /** Descriptions of files with secrets that every user can read. */
  readonly exposedSecrets: readonly string[];
  readonly badServerFiles: readonly BadServerFile[];
  /** Patterns of `servers_from` without a file. */
  readonly unmatchedPatterns: readonly string[];
}

export interface LoadOptions {
  /** `undefined`: the environment describes the only server. */
  readonly file?: string | undefined;
  readonly env: Environment;
  readonly readFile: ReadFile;
  /** `undefined`: do not check permissions. */
  readonly readAccess?: ReadAccess | undefined;
  readonly redactor?: Redactor | undefined;
  /** Access to files of `servers_from`. `undefined`: patterns match no files. */
  readonly serverFiles?: ServerFileAccess | undefined;
  readonly deprecatedNames?: readonly DeprecatedName[] | undefined;
  /** Read the variables and files of the section `sync`. Otherwise only check its structure. Default: `false`. */
  readonly sync?: boolean | undefined;
}

const NO_FILES: ServerFiles = { servers: [], bad: [], unmatched: [], deprecated: [] };

/** Reads and validates the configuration with all its files. @throws ConfigError with all problems */
export async function loadConfig(options: LoadOptions): Promise<LoadedConfig> {
  const { file, env, readFile, readAccess, redactor = new Redactor(), sync: needsSync = false } = options;
  const { deprecatedNames = DEPRECATED_NAMES } = options;
  const text =
    file === undefined ? undefined : await readConfigFile(file, readFile, "CONFIG_NOT_FOUND", "the configuration file");
  const server = new EnvironmentServer(env);
  const { value, origin, problems, usesEnvironment } =
    file === undefined || text === undefined ? fromEnvironment(server) : fromFile(text, file, env, server);

  const deprecated = deprecatedKeys(value, origin, deprecatedNames);
  const validation = validate(value, origin, needsSync);
  const found = [...problems.filter((problem) => needsSync || !isUnsetInSync(problem)), ...validation.problems];
  if (validation.settings === undefined || found.length > 0) throw new ConfigError(found, validation.more);
  const { sync: syncSettings, ...settings } = validation.settings;
  const base = file === undefined || usesEnvironment ? "" : dirname(file);
  const exposed = new Set<string>();
  const strict = settings.strictSecretFiles;
  const secretReader = (read: ReadFile) =>
    secretFileReader({ readFile: read, readAccess, strict, onExposed: (text) => void exposed.add(text) });
  const readSecret = secretReader(readFile);
  const at = (index: number) => ["servers", index];
  const fromConfig = await resolveServers(settings.servers, {
    ...{ base, origin, readFile, readSecret, redactor, at },
    ...(usesEnvironment && { fingerprintsVariable: FINGERPRINTS_VARIABLE }),
  });
  const fileBase = file === undefined ? "" : dirname(file);
  const source = file ?? "environment";
  const ruleFiles = await readRuleFiles(settings.mapping, { file: source, origin, base: fileBase, env, readFile });
  const otlp = resolveOtlpPaths(settings.otlp, fileBase);
  await checkOtlpFiles(otlp, { origin, readFile, readSecret, redactor });
  const fromFiles =
    settings.serversFrom === undefined || options.serverFiles === undefined
      ? NO_FILES
      : await readServerFiles(settings.serversFrom, {
          ...options.serverFiles,
          ...{ origin, base: fileBase, env, redactor, others: fromConfig, file: source, deprecatedNames },
          readSecret: secretReader(options.serverFiles.readFile),
        });
  const stateDir = settings.stateDir === undefined ? undefined : resolve(fileBase, settings.stateDir);
  const syncContext = { base: fileBase, origin, readFile, readSecret, redactor };
  const sync = syncSettings && (await resolveSync(syncSettings, stateDir ?? fileBase, syncContext));
  return {
    config: {
      ...{ ...settings, ruleFiles, stateDir, otlp, events: resolveEventPaths(settings.events, fileBase) },
      servers: [...fromConfig, ...fromFiles.servers],
      ...(sync !== undefined && { sync }),
      badServerFiles: settings.serversFrom && fromFiles.bad.length,
      deprecated: [...deprecated, ...fromFiles.deprecated],
    },
    source,
    // The file refers to it.
    ignoredVariables: usesEnvironment ? [] : server.variables.filter((name) => text?.includes(`\${${name}`) !== true),
    exposedSecrets: [...exposed],
    badServerFiles: fromFiles.bad,
    unmatchedPatterns: fromFiles.unmatched,
  };
}

/** Only `prtg-exporter sync` needs the variables of its section. */
function isUnsetInSync({ code, key }: ConfigProblem): boolean {
  return code === "CONFIG_VARIABLE_UNSET" && key.startsWith("sync.");
}

interface Input {
  readonly value: unknown;
  readonly origin: Origin;
  readonly problems: readonly ConfigProblem[];
  /** The environment describes the servers. */
  readonly usesEnvironment: boolean;
}

function fromEnvironment(server: EnvironmentServer): Input {
  if (!server.variables.includes("PRTG_URL")) {
    const [first] = server.variables;
    const text = first === undefined ? "no server is configured" : `${first} is set, but PRTG_URL is not`;
    throw new ConfigError([{ code: "CONFIG_NO_SERVER", location: "environment", key: "", text }]);
  }
  return { value: { servers: [server.value] }, origin: server, problems: [], usesEnvironment: true };
}

function fromFile(text: string, file: string, env: Environment, server: EnvironmentServer): Input {
  const document = new ConfigDocument(text, file, env);
  const value = document.value ?? {};
  const { problems } = document;
  if (
    typeof value !== "object" ||
    "servers" in value ||
    "servers_from" in value ||
    !server.variables.includes("PRTG_URL")
  ) {
    return { value, origin: document, problems, usesEnvironment: false };
  }
  const originOf = (path: KeyPath) => (path[0] === "servers" ? server : document);
  const origin: Origin = {
    place: (path, part) => originOf(path).place(path, part),
    reference: (path) => originOf(path).reference(path),
    source: (path) => originOf(path).source(path),
  };
  return { value: { ...value, servers: [server.value] }, origin, problems, usesEnvironment: true };
}
