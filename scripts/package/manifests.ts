type Json = Readonly<Record<string, unknown>>;

interface Dependencies {
  readonly name: string;
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
}

/** A package lacks the files that they need. */
const OF_A_CLONE = new Set(["private", "scripts", "devDependencies", "workspaces"]);

/** npm includes these only by name. */
const FURTHER_FILES = ["CHANGELOG.md", "npm-shrinkwrap.json"];

/** @param manifest of the clone */
export function publishedManifest(manifest: Json & { readonly files: readonly string[] }): Json {
  const kept = Object.entries(manifest).filter(([key]) => !OF_A_CLONE.has(key));
  return { ...Object.fromEntries(kept), files: [...manifest.files, ...FURTHER_FILES] };
}

/** package-lock.json without development dependencies. */
export function shrinkwrap(
  { name, version, dependencies, optionalDependencies }: Dependencies,
  locked: Readonly<Record<string, { readonly dev?: boolean | undefined; readonly link?: boolean | undefined }>>,
): Json {
  const inClone = { devDependencies: undefined, workspaces: undefined };
  const root = { ...locked[""], name, version, dependencies, optionalDependencies, ...inClone };
  const others = Object.entries(locked).filter(
    ([path, { dev, link }]) => path.startsWith("node_modules/") && dev !== true && link !== true,
  );
  return { name, version, lockfileVersion: 3, requires: true, packages: { "": root, ...Object.fromEntries(others) } };
}
