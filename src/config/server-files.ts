import { dirname, resolve } from "node:path";
import type { Redactor } from "../errors/redactor.ts";
import { FileFault } from "../lib/bounded-files.ts";
import { quote } from "../lib/printable-text.ts";
import { MAX_YAML_BYTES } from "../lib/yaml-tree.ts";
import { ConfigError, type ConfigProblem } from "./config-error.ts";
import { type DeprecatedName, deprecatedKeys } from "./deprecated-names.ts";
import { ConfigDocument } from "./document.ts";
import type { Environment } from "./environment.ts";
import { literalCredentials } from "./literal-secrets.ts";
import type { KeyPath, Origin } from "./origin.ts";
import { fileFault, type ListFiles, type ReadFile, unreadableFile } from "./reading-files.ts";
import { resolveServers, type ServerConfig } from "./resolve.ts";
import type { ServersFromSettings } from "./schema.ts";
import { serverListSchema, serverSchema } from "./server-schema.ts";
import { validateAs } from "./validation.ts";

/** The exporter rereads each file regularly. */
const MAX_FILES = 10_000;

export interface ServerFileAccess {
  readonly listFiles: ListFiles;
  readonly readFile: ReadFile;
  /** Servers of the last valid content by path, used while a file is invalid. Each reading updates it. */
  readonly lastGood: Map<string, readonly ServerConfig[]>;
}

export interface BadServerFile {
  readonly path: string;
  readonly error: ConfigError;
  /** Servers of its last valid content, which stay. */
  readonly kept: readonly string[];
}

export interface ServerFiles {
  readonly servers: readonly ServerConfig[];
  readonly bad: readonly BadServerFile[];
  /** Patterns without a file. */
  readonly unmatched: readonly string[];
  readonly deprecated: readonly string[];
}

export interface ServerFilesContext extends ServerFileAccess {
  readonly origin: Origin;
  /** Folder of relative patterns. Empty: the working directory. */
  readonly base: string;
  readonly env: Environment;
  readonly readSecret: ReadFile;
  readonly redactor: Redactor;
  readonly others: readonly Pick<ServerConfig, "name">[];
  readonly file: string;
  readonly deprecatedNames: readonly DeprecatedName[];
}

/**
 * An invalid file affects only its own servers, which stay as in its last valid content. @throws ConfigError CONFIG_INVALID for unreadable
 * folders and too many files
 */
export async function readServerFiles(
  { files: patterns }: ServersFromSettings,
  context: ServerFilesContext,
): Promise<ServerFiles> {
  const { paths, unmatched } = await pathsOf(patterns, context);
  const takenBy = new Map(context.others.map(({ name }) => [name, context.file]));
  const { lastGood } = context;
  const servers: ServerConfig[] = [];
  const bad: BadServerFile[] = [];
  const deprecated: string[] = [];
  for (const path of paths) {
    let found: readonly ServerConfig[];
    try {
      found = await readServerFile(path, takenBy, context, (warnings) => void deprecated.push(...warnings));
      lastGood.set(path, found);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      found = (lastGood.get(path) ?? []).filter(({ name }) => !takenBy.has(name));
      bad.push({ path, error, kept: found.map(({ name }) => name) });
    }
    for (const { name } of found) takenBy.set(name, path);
    servers.push(...found);
  }
  const present = new Set(paths);
  for (const path of lastGood.keys()) if (!present.has(path)) lastGood.delete(path);
  return { servers, bad, unmatched, deprecated };
}

/** Refuses them in commands that check a configuration. @throws ConfigError with the problems of all files */
export function refuseBadFiles(bad: readonly BadServerFile[]): void {
  if (bad.length > 0) {
    const more = bad.reduce((sum, { error }) => sum + error.more, 0);
    throw new ConfigError(
      bad.flatMap(({ error }) => error.problems),
      more,
    );
  }
}

async function pathsOf(
  patterns: readonly string[],
  { listFiles, origin, base }: ServerFilesContext,
): Promise<{ readonly paths: readonly string[]; readonly unmatched: readonly string[] }> {
  const place = origin.place(["servers_from", "files"], "value");
  const refuse = (text: string) => new ConfigError([{ code: "CONFIG_INVALID", ...place, text }]);
  const paths = new Set<string>();
  const unmatched: string[] = [];
  for (const pattern of patterns) {
    const found = await listFiles(resolve(base, pattern)).catch((error: unknown) => {
      throw refuse(`the folder of ${quote(pattern)} cannot be read: ${fileFault(error)}`);
    });
    if (found.length === 0) unmatched.push(pattern);
    for (const path of found) paths.add(path);
  }
  if (paths.size > MAX_FILES) throw refuse(`${paths.size} files, but at most ${MAX_FILES} are allowed`);
  return { paths: [...paths].toSorted(), unmatched };
}

/** @throws ConfigError with all problems of the file */
async function readServerFile(
  path: string,
  takenBy: ReadonlyMap<string, string>,
  context: ServerFilesContext,
  onDeprecated: (warnings: readonly string[]) => void,
): Promise<readonly ServerConfig[]> {
  const { env, redactor, readSecret, readFile, deprecatedNames } = context;
  const document = new ConfigDocument(await readText(path, readFile), path, env);
  const { value } = document;
  const isList = Array.isArray(value);
  const at = (index: number): KeyPath => (isList ? [index] : []);
  onDeprecated(deprecatedInServers(value, document, deprecatedNames, at));
  const literals = literalCredentials(isList ? value.map((_, index) => at(index)) : [[]], value, document);
  const { settings, problems, more } = isList
    ? validateAs(serverListSchema, value, document)
    : validatedAsOne(value, document);
  const literalKeys = new Set(literals.map(({ key }) => key));
  const found = [...document.problems, ...literals, ...problems.filter(({ key }) => !literalKeys.has(key))];
  const doubles = (settings ?? []).flatMap(({ name }, index): ConfigProblem[] => {
    const other = takenBy.get(name);
    const text = `expected a unique name, found ${quote(name)}: ${other} has the same name`;
    return other === undefined
      ? []
      : [{ code: "CONFIG_INVALID", ...document.place([...at(index), "name"], "value"), text }];
  });
  if (settings === undefined || found.length + doubles.length > 0) throw new ConfigError([...found, ...doubles], more);
  return resolveServers(settings, { base: dirname(path), origin: document, readFile, readSecret, redactor, at });
}

/** The table names keys from the root of a whole configuration. */
function deprecatedInServers(
  value: unknown,
  origin: Origin,
  names: readonly DeprecatedName[],
  at: (index: number) => KeyPath,
): string[] {
  const servers = Array.isArray(value) ? value : [value];
  const place: Origin["place"] = ([_servers, index, ...rest], part) =>
    origin.place([...at(Number(index)), ...rest], part);
  return deprecatedKeys({ servers }, { place }, names);
}

function validatedAsOne(value: unknown, document: ConfigDocument) {
  const { settings, ...rest } = validateAs(serverSchema, value, document);
  return { settings: settings && [settings], ...rest };
}

async function readText(path: string, readFile: ReadFile): Promise<string> {
  const refuse = (error: unknown) => new ConfigError([unreadableFile("SERVERS_UNREADABLE", path, "the file", error)]);
  const text = await readFile(path).catch((error: unknown) => {
    throw refuse(error);
  });
  if (Buffer.byteLength(text) <= MAX_YAML_BYTES) return text;
  throw refuse(new FileFault("EFBIG", `it is larger than ${MAX_YAML_BYTES.toLocaleString("en")} bytes`));
}
