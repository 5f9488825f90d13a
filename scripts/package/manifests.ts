type Json = Readonly<Record<string, unknown>>;

interface Dependencies {
  readonly name: string;
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
}

/** What only a clone has: scripts that name files which are not published, and their tools. */
const OF_A_CLONE = new Set(["private", "scripts", "devDependencies", "workspaces"]);

/** What npm leaves out of a package unless it is named. */
const FURTHER_FILES = ["CHANGELOG.md", "npm-shrinkwrap.json"];

/** @param manifest package.json of the clone @returns that of the package */
export function publishedManifest(manifest: Json & { readonly files: readonly string[] }): Json {
  const kept = Object.entries(manifest).filter(([key]) => !OF_A_CLONE.has(key));
  return { ...Object.fromEntries(kept), files: [...manifest.files, ...FURTHER_FILES] };
}

/** The lock for the published package: package-lock.json without development dependencies. */
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
