type Json = Readonly<Record<string, unknown>>;

export interface Dependencies {
  readonly name: string;
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>> | undefined;
}

/** A package lacks the files that they need. */
const OF_A_CLONE = new Set(["private", "scripts", "devDependencies", "workspaces"]);

/** npm includes these only by name. */
const FURTHER_FILES = ["CHANGELOG.md", "npm-shrinkwrap.json"];

/** @param manifest of the clone */
export function publishedManifest(
  manifest: Json & { readonly files: readonly string[] },
  furtherFiles: readonly string[] = FURTHER_FILES,
): Json {
  const kept = Object.entries(manifest).filter(([key]) => !OF_A_CLONE.has(key));
  const { exports } = manifest;
  const files = [...manifest.files, ...furtherFiles];
  return {
    ...Object.fromEntries(kept),
    ...(typeof exports === "object" ? { exports: withPublishedTargets(exports as Json, files) } : {}),
    files,
  };
}

/** Other packages of the clone also import sources and tests, which a package lacks. */
function withPublishedTargets(exports: Json, files: readonly string[]): Json {
  const isPublished = (target: unknown): boolean => {
    if (typeof target !== "string") return Object.values(target as Json).every(isPublished);
    const [, top = ""] = target.split("/");
    return top === "package.json" || files.includes(top);
  };
  return Object.fromEntries(Object.entries(exports).filter(([, target]) => isPublished(target)));
}

/** An entry of package-lock.json. */
interface Locked {
  readonly [field: string]: unknown;
  readonly dev?: boolean | undefined;
  readonly link?: boolean | undefined;
  readonly dependencies?: Readonly<Record<string, string>> | undefined;
  readonly optionalDependencies?: Readonly<Record<string, string>> | undefined;
}

/**
 * The part of package-lock.json that a package of the workspace needs.
 * @throws Error if npm installs one of its dependencies below the package itself
 */
export function neededBy(
  { dependencies, optionalDependencies }: Dependencies,
  locked: Readonly<Record<string, Locked>>,
): Record<string, Locked> {
  const needed: Record<string, Locked> = {};
  const add = (name: string, parent: string) => {
    const place = placesOf(name, parent).find((each) => each in locked);
    if (place === undefined) throw new Error(`package-lock.json has no ${name} for ${parent || "the package"}`);
    const entry = locked[place];
    if (entry === undefined || place in needed) return;
    needed[place] = entry;
    for (const next of Object.keys({ ...entry.dependencies, ...entry.optionalDependencies })) add(next, place);
  };
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) add(name, "");
  return Object.fromEntries(Object.entries(needed).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Where Node.js looks, nearest first: `node_modules/a/node_modules/b`, then `node_modules/b`. */
function placesOf(name: string, parent: string): string[] {
  const folders = parent === "" ? [] : parent.split("/node_modules/");
  return [
    ...folders.map(
      (_, index) => `${folders.slice(0, folders.length - index).join("/node_modules/")}/node_modules/${name}`,
    ),
    `node_modules/${name}`,
  ];
}

/** package-lock.json without development dependencies. */
export function shrinkwrap(
  { name, version, dependencies, optionalDependencies }: Dependencies,
  locked: Readonly<Record<string, Locked>>,
): Json {
  const inClone = { devDependencies: undefined, workspaces: undefined };
  const root = { ...locked[""], name, version, dependencies, optionalDependencies, ...inClone };
  const others = Object.entries(locked).filter(
    ([path, { dev, link }]) => path.startsWith("node_modules/") && dev !== true && link !== true,
  );
  return { name, version, lockfileVersion: 3, requires: true, packages: { "": root, ...Object.fromEntries(others) } };
}
